import StoreCommandLine
import StoreHistory
import StoreTelemetry

extension ReplayProgress {
    /// Writes lines to the log.
    init(to logger: Logger) {
        self.init { logger.notice(.replayProgress, $0.text) }
    }

    /// Makes the progress display of a command: a bar if standard error is a terminal, else lines
    /// in the log.
    static func ofCommand(_ logger: Logger) -> ReplayProgress {
        guard TerminalBar.isThere else { return ReplayProgress(to: logger) }
        return ReplayProgress(intervals: (first: 0.3, others: 0.1)) {
            TerminalBar.show($0.share, $0.text)
        } end: {
            TerminalBar.clear()
        }
    }
}
