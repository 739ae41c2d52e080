/// What the server says to its operator: one line each, on standard error.
///
/// Control characters are replaced, so that nothing a client sends can forge a line. Any thread may
/// call; none waits.
package enum Log {
    package static func notice(_ message: String) { write(prefix, message) }
    package static func warning(_ message: String) { write(warningPrefix, message) }
    package static func error(_ message: String) { write(prefix + "error: ", message) }

    package static let prefix = "store-server: "
    package static let warningPrefix = prefix + "warning: "

    /// Writes one line as it is, after the prefix.
    package static func write(_ prefix: String, _ message: String) {
        LogWriter.standardError.offer(line(prefix, message))
    }

    /// The bytes of one line.
    package static func line(_ prefix: String = prefix, _ message: String) -> [UInt8] {
        var line = Array(prefix.utf8)
        line += message.utf8.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: "?") : $0 }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Lets what was said be written before the process ends, as far as standard error takes it.
    package static func flush() {
        LogWriter.standardError.flush(seconds: flushSecondsMax)
    }

    private static let flushSecondsMax = 0.25
}
