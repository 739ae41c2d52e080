/// Writes lines for the operator. It is a value, passed to each type that writes some.
///
/// Any thread may call; none waits: the lines are written by a thread of their own (``LogWriter``),
/// which ends with the last copy of the value.
package struct Logger: Sendable {
    /// Ends the thread of a writer.
    private final class Owner: Sendable {
        let writer: LogWriter

        init(_ writer: LogWriter) {
            self.writer = writer
        }

        deinit { writer.close() }
    }

    private let owner: Owner
    /// What each line begins with.
    private let beginning: String

    package init(_ writer: LogWriter) {
        owner = Owner(writer)
        beginning = ""
    }

    private init(_ other: Logger, beginning: String) {
        owner = other.owner
        self.beginning = beginning
    }

    /// The same, whose lines begin with the name of a store.
    package func naming(_ store: String) -> Logger { Logger(self, beginning: store + ": ") }

    /// Writes to standard error.
    package static let standardError = Logger(LogWriter.standardError)

    package func notice(_ message: String) { offer(.notice, message) }
    package func warning(_ message: String) { offer(.warning, message) }
    package func error(_ message: String) { offer(.error, message) }

    /// Writes as many notices as there is room for beside what matters more. The first so many are
    /// made on the log's own thread.
    package func details(_ count: Int, _ make: @escaping @Sendable (Int) -> [String]) {
        owner.writer.offer(details: count) { [beginning] count in
            make(count).map { LogLine(.notice, beginning + $0) }
        }
    }

    private func offer(_ level: LogLine.Level, _ message: String) {
        owner.writer.offer(LogLine(level, beginning + message))
    }

    /// Returns when all lines are written, or after a quarter of a second.
    package func flush() {
        owner.writer.flush(seconds: Self.flushSecondsMax)
    }

    private static let flushSecondsMax = 0.25
}
