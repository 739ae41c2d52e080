import Glibc
import Wire

/// What the server says to its operator: one line each, on standard error.
///
/// Control characters are replaced, so that nothing a client sends can forge a line.
enum Log {
    static func notice(_ message: String) { write(prefix, message) }
    static func warning(_ message: String) { write(prefix + "warning: ", message) }
    static func error(_ message: String) { write(prefix + "error: ", message) }

    private static let prefix = "store-server: "

    /// Writes one line as it is, after the prefix.
    static func write(_ prefix: String, _ message: String) {
        var line = Array(prefix.utf8)
        line += message.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }
        line.append(UInt8(ascii: "\n"))
        // One call a line, so that lines of several threads don't mix; a full or closed standard
        // error must not stop the server, so the result does not matter.
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
