import Glibc
import StorePlatform

/// The memory that only a start needs: freed allocations, and code that runs at a start alone.
enum StartMemory {
    /// The maximum number of bytes that are read of the list of mappings; a process has some
    /// hundred mappings.
    private static let mapsBytesMax = 1 << 20

    /// Gives this memory back to the system; code that runs again is mapped again.
    static func giveBack() {
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
