import Glibc
import Platform

/// The memory that a start has used and a server that serves does not: what was freed, and the code
/// that only a start runs through.
enum StartMemory {
    /// The most of the list of mappings that is read; a process has some hundred.
    private static let mapsBytesMax = 1 << 20

    /// Gives it back to the system; code that is run again is mapped again.
    static func giveBack() {
        AllocatorMemory.giveBack()
        let maps = FileReader.read("/proc/self/maps", bytesMax: mapsBytesMax) ?? []
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            // 7f12a000-7f13b000 r-xp 00000000 08:01 123  /usr/lib/… (proc_pid_maps(5))
            let fields = line.split(separator: " ")
            guard fields.count > 5, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2, ends[0] < ends[1] else { continue }
            // Nothing is ever written there, so the file has all of it.
            let start = UnsafeMutableRawPointer(bitPattern: ends[0])
            madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
        }
    }
}
