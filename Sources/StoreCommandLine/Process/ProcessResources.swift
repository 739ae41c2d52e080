import Glibc
import StorePlatform

/// Standard input, output and error: descriptors 0, 1 and 2.
package enum StandardFiles {
    /// Opens `/dev/null` for each of the three descriptors that is not open. Otherwise a later
    /// socket or file would get the descriptor, and the log would write its lines to this socket or
    /// file.
    package static func openMissing() {
        var descriptor: CInt
        repeat { descriptor = open("/dev/null", O_RDWR) } while 0...STDERR_FILENO ~= descriptor
        if descriptor >= 0 { close(descriptor) }
    }
}

/// The limit on the number of open files and sockets of the process.
package enum DescriptorLimit {
    /// Raises the limit to the highest number that the system allows.
    package static func raise() { setLimit(RLIMIT_NOFILE) { $0.rlim_max } }
}

/// The core dumps that the kernel writes when the process crashes.
package enum CoreDumps {
    /// Prevents core dumps, because a user who may read a dump would find keys, cookies and bodies
    /// there.
    ///
    /// With a limit of 0, the kernel writes no file, but still pipes a dump to a program such as
    /// apport. With a limit of 1 byte, the kernel does neither (`do_coredump` in the kernel's
    /// fs/coredump.c). The hard limit does not change. A user who may debug the process can
    /// therefore raise the limit (`prlimit --core=unlimited --pid`), and a debugger attaches as
    /// usual.
    package static func forbid() { setLimit(RLIMIT_CORE) { min(1, $0.rlim_max) } }
}

/// Sets the soft limit of a resource. `value` returns the new soft limit for the current soft and
/// hard limits.
private func setLimit(_ resource: __rlimit_resource, _ value: (rlimit) -> rlim_t) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(resource.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = value(limit)
    setrlimit(resource, &limit)
}

/// The memory that the process needs only during a start: freed allocations, and code of the start.
package enum StartMemory {
    /// The maximum number of bytes that are read from the list of mappings. A process has a few
    /// hundred mappings.
    private static let mapsBytesMax = 1 << 20

    /// Gives this memory back to the system. If some of the code runs later, the kernel reads that
    /// code from its file again.
    package static func giveBack() {
        AllocatorMemory.returnFreeMemory()
        let maps = FileReader.read("/proc/self/maps", bytesMax: mapsBytesMax) ?? []
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            // 7f12a000-7f13b000 r-xp 00000000 08:01 123  /usr/lib/… (proc_pid_maps(5))
            guard let code = codeAddresses(in: line) else { continue }
            // The process never writes to these pages, so the file has their whole content.
            let start = UnsafeMutableRawPointer(bitPattern: code.lowerBound)
            madvise(start, code.count, MADV_DONTNEED)
        }
    }

    /// Returns the addresses of a mapping of code from a file; `nil` for any other mapping.
    private static func codeAddresses(in line: ArraySlice<UInt8>) -> Range<UInt>? {
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
