import Glibc
import StoreHistory
import StoreTelemetry

extension ReplayProgress {
    /// Writes lines to the log.
    init(to logger: Logger) {
        self.init { logger.notice(.replayProgress, $0.text) }
    }

    /// For a command: a bar where standard error is a terminal, and else lines in the log.
    static func ofCommand(_ logger: Logger) -> ReplayProgress {
        guard isatty(STDERR_FILENO) == 1 else { return ReplayProgress(to: logger) }
        return ReplayProgress(intervals: (first: 0.3, others: 0.1)) {
            writeToTerminal("\r" + $0.bar + " " + $0.text + "\u{1B}[K")
        } end: {
            writeToTerminal("\r\u{1B}[K")
        }
    }

    /// What can't be written is left out: the command does not depend on it.
    private static func writeToTerminal(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension ReplayProgress.Report {
    private static let barColumns = 20

    /// `[████████            ]`
    var bar: String {
        let full = min(Self.barColumns, Int(share * Double(Self.barColumns)))
        return "[" + String(repeating: "█", count: full)
            + String(repeating: " ", count: Self.barColumns - full) + "]"
    }
}
