import Glibc

/// A progress bar in the last line of standard error, for a terminal.
package enum TerminalBar {
    private static let columns = 20

    /// True if standard error is a terminal.
    package static var isThere: Bool { isatty(STDERR_FILENO) == 1 }

    /// Draws the bar over the previous bar. The share is between 0 and 1.
    package static func show(_ share: Double, _ text: String) {
        let full = max(0, min(columns, Int(share * Double(columns))))
        let rest = String(repeating: " ", count: columns - full)
        write("\r[" + String(repeating: "█", count: full) + rest + "] \(text)\u{1B}[K")
    }

    /// Removes the bar.
    package static func clear() {
        write("\r\u{1B}[K")
    }

    /// Writes the text. Errors are ignored, because no command depends on the bar.
    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
