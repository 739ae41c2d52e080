import Glibc

/// A bar in the last line of standard error, where that is a terminal.
package enum TerminalBar {
    private static let columns = 20

    /// True if standard error is a terminal.
    package static var isThere: Bool { isatty(STDERR_FILENO) == 1 }

    /// Draws the bar over the one before it. The share is between 0 and 1.
    package static func show(_ share: Double, _ text: String) {
        let full = max(0, min(columns, Int(share * Double(columns))))
        let rest = String(repeating: " ", count: columns - full)
        write("\r[" + String(repeating: "█", count: full) + rest + "] \(text)\u{1B}[K")
    }

    /// Takes the bar away.
    package static func clear() {
        write("\r\u{1B}[K")
    }

    /// Leaves out what can't be written: no command depends on it.
    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
