import Glibc
import StorePlatform

/// How much memory the process has, and how much it may have.
struct MemoryUse: Sendable {
    /// The bound, in bytes.
    let limit: Int
    /// The folder of the control group that sets the bound; `nil` where the operator does.
    private let group: String?

    /// The use beside the operator's bound, or beside that of the process's control group where it
    /// is 0; `nil` where there is no bound.
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

    /// What counts against the bound, in bytes; `nil` where it can't be read.
    ///
    /// Of a control group that is all but the pages of files, which the kernel takes back by
    /// itself: what sockets hold is among it. Of the operator's bound, it is what is resident.
    var bytes: Int? {
        guard let group else { return Self.residentBytes }
        guard let all = Self.number(in: group + "/memory.current"),
            let files = Self.text(of: group + "/memory.stat").flatMap(Self.fileBytes)
        else { return nil }
        return max(0, all - files)
    }

    /// What is resident, from `/proc/self/statm` (proc(5)).
    static var residentBytes: Int? {
        let fields = text(of: "/proc/self/statm")?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
    }

    /// The folder of the process's own group of version 2 (cgroups(7)).
    private static var ownGroup: String? {
        guard let text = text(of: "/proc/self/cgroup") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::/") }
        return line.map { "/sys/fs/cgroup" + $0.dropFirst(3) }
    }

    private static func fileBytes(_ stat: String) -> Int? {
        let line = stat.split(separator: "\n").first { $0.hasPrefix("file ") }
        return line.flatMap { Int($0.dropFirst(5)) }
    }

    /// The number in a file; `nil` where it has another text, such as `max`.
    private static func number(in path: String) -> Int? {
        text(of: path).flatMap { Int($0.filter { $0 != "\n" }) }
    }

    private static func text(of path: String) -> String? {
        FileReader.read(path, bytesMax: 64 << 10).map { String(decoding: $0, as: UTF8.self) }
    }
}
