import Glibc
import StorePlatform

/// The figures that the system reports about this process (proc(5), getrusage(2)). A figure is
/// `nil` if the system does not report it.
package struct ProcessFigures: Sendable {
    /// Seconds of processor time, in user and system mode.
    package let cpuSeconds: Double?
    package let residentBytes: Int?
    package let virtualBytes: Int?
    package let openDescriptorCount: Int?
    package let descriptorsMax: UInt64?
    package let threadCount: Int?
    /// The start of the process, in seconds since 1970.
    package let startUnixSeconds: Double?

    /// Reads the current figures, from some small files of the kernel.
    package init() {
        // Split the fields after the last parenthesis: the program's name in these parentheses may
        // contain spaces and parentheses, too.
        let status = Self.text(of: "/proc/self/stat").flatMap { text -> [Substring]? in
            text.lastIndex(of: ")").map { text[$0...].split(separator: " ") }
        }
        let field = { (place: Int) -> Int? in
            guard let status, status.indices.contains(place) else { return nil }
            return Int(status[place])
        }
        let ticks = Double(max(1, sysconf(CInt(_SC_CLK_TCK))))
        var usage = rusage()
        cpuSeconds =
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0
            ? [usage.ru_utime, usage.ru_stime].reduce(0) {
                $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
            } : nil
        // Index 0 has the end of the name, which is field 2 in proc(5). So each index is the
        // field's number less 2.
        threadCount = field(18)
        virtualBytes = field(21)
        residentBytes = field(22).map { $0 * sysconf(CInt(_SC_PAGESIZE)) }
        startUnixSeconds = field(20).flatMap { began in
            Self.bootUnixSeconds.map { $0 + Double(began) / ticks }
        }
        openDescriptorCount = Self.openDescriptorsCount
        var limit = rlimit()
        descriptorsMax =
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
            ? UInt64(limit.rlim_cur) : nil
    }

    /// The start of the system, in seconds since 1970.
    private static var bootUnixSeconds: Double? {
        text(of: "/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }
            .flatMap { Double($0.dropFirst(6)) }
    }

    private static var openDescriptorsCount: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Leaves out `.`, `..` and the descriptor of the folder itself.
        return max(0, count - 3)
    }

    private static func text(of path: String) -> String? {
        FileReader.read(path, bytesMax: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }
}
