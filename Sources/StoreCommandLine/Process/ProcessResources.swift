import Glibc
import StorePlatform

/// Standard input, output and error: descriptors 0, 1 and 2.
package enum StandardFiles {
    /// Opens `/dev/null` for each of the descriptors that the process was started without. Else the
    /// next socket or file would get the descriptor, and log lines would go there.
    package static func fillIn() {
        var descriptor: CInt
        repeat { descriptor = open("/dev/null", O_RDWR) } while 0...STDERR_FILENO ~= descriptor
        if descriptor >= 0 { close(descriptor) }
    }
}

/// The number of files and sockets that the process may have open.
package enum DescriptorLimit {
    /// Raises the limit as far as the system allows.
    package static func raise() { setLimit(RLIMIT_NOFILE) { $0.rlim_max } }
}

/// The core dump that the kernel writes when the process crashes.
package enum CoreDumps {
    /// Forbids core dumps: a dump would contain keys, cookies and bodies, for every user who may
    /// read it.
    ///
    /// A limit of 0 applies only to files; a dump that is piped to a program such as apport is made
    /// nevertheless. A limit of 1 byte, which is too small for any file, forbids both
    /// (`do_coredump` in the kernel's fs/coredump.c). The hard limit stays. A user who may debug
    /// the process can therefore raise the limit (`prlimit --core=unlimited --pid`), and a debugger
    /// attaches as usual.
    package static func forbid() { setLimit(RLIMIT_CORE) { min(1, $0.rlim_max) } }
}

/// Sets the soft limit of a resource, which `value` derives from the current soft and hard limits.
private func setLimit(_ resource: __rlimit_resource, _ value: (rlimit) -> rlim_t) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(resource.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = value(limit)
    setrlimit(resource, &limit)
}

/// The memory that only a start needs: freed allocations, and code that runs only at a start.
package enum StartMemory {
    /// The maximum number of bytes that are read of the list of mappings; a process has some
    /// hundred mappings.
    private static let mapsBytesMax = 1 << 20

    /// Gives this memory back to the system; code that runs again is mapped again.
    package static func giveBack() {
        AllocatorMemory.giveBack()
        let maps = FileReader.read("/proc/self/maps", bytesMax: mapsBytesMax) ?? []
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            // 7f12a000-7f13b000 r-xp 00000000 08:01 123  /usr/lib/… (proc_pid_maps(5))
            guard let code = code(in: line) else { continue }
            // These pages are never written, so the file contains all of their content.
            let start = UnsafeMutableRawPointer(bitPattern: code.lowerBound)
            madvise(start, code.count, MADV_DONTNEED)
        }
    }

    /// Returns the addresses of a mapping of code from a file; `nil` for any other mapping.
    private static func code(in line: ArraySlice<UInt8>) -> Range<UInt>? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard fields.count > 5, fields[1].elementsEqual("r-xp".utf8),
            fields[5].first == UInt8(ascii: "/")
        else { return nil }
        let ends = fields[0].split(separator: UInt8(ascii: "-")).compactMap {
            UInt(String(decoding: $0, as: UTF8.self), radix: 16)
        }
        guard ends.count == 2, ends[0] < ends[1] else { return nil }
        return ends[0]..<ends[1]
    }
}
