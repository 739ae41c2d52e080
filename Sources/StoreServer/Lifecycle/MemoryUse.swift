import Glibc
import StorePlatform

/// The memory that the process uses, and its bound.
struct MemoryUse: Sendable {
    /// The bound, in bytes.
    let limit: Int
    /// The folder of the control group that sets the bound; `nil` if the operator sets it.
    private let group: String?

    /// Reads the operator's bound, or, if that is 0, the bound of the process's control group.
    /// Returns `nil` if there is no bound.
    init?(bytesMax: Int) {
        if bytesMax > 0 {
            limit = bytesMax
            group = nil
            return
        }
        guard let group = Self.ownGroup, let limit = Self.number(in: group + "/memory.max") else {
            return nil
        }
        self.limit = limit
        self.group = group
    }

    /// The used bytes that count against the bound; `nil` if they can't be read.
    ///
    /// For a control group, all memory counts except the pages of files, which the kernel reclaims
    /// by itself; the memory of sockets is included. For the operator's bound, resident memory
    /// counts.
    var bytes: Int? {
        guard let group else { return Self.residentBytes }
        guard let all = Self.number(in: group + "/memory.current"),
            let files = Self.text(of: group + "/memory.stat").flatMap(Self.fileBytes)
        else { return nil }
        return max(0, all - files)
    }

    /// The resident memory in bytes, from `/proc/self/statm` (proc(5)).
    static var residentBytes: Int? {
        let fields = text(of: "/proc/self/statm")?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    /// The folder of the process's own control group of version 2 (cgroups(7)).
    private static var ownGroup: String? {
        guard let text = text(of: "/proc/self/cgroup") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::/") }
        return line.map { "/sys/fs/cgroup" + $0.dropFirst(3) }
    }

    private static func fileBytes(_ stat: String) -> Int? {
        let line = stat.split(separator: "\n").first { $0.hasPrefix("file ") }
        return line.flatMap { Int($0.dropFirst(5)) }
    }

    /// Returns the number in a file; `nil` for another text, such as `max`.
    private static func number(in path: String) -> Int? {
        text(of: path).flatMap { Int($0.filter { $0 != "\n" }) }
    }

    private static func text(of path: String) -> String? {
        FileReader.read(path, bytesMax: 64 << 10).map { String(decoding: $0, as: UTF8.self) }
    }
}
