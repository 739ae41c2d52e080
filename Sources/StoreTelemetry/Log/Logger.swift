import StorePlatform

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
    /// The store that the lines are about, where there are several.
    private let store: String?

    package init(_ writer: LogWriter) {
        owner = Owner(writer)
        store = nil
    }

    private init(_ other: Logger, of store: String) {
        owner = other.owner
        self.store = store
    }

    /// The same, whose lines name a store.
    package func naming(_ store: String) -> Logger { Logger(self, of: store) }

    /// Writes to standard error.
    package static let standardError = Logger(LogWriter.standardError)

    /// Sets how lines are written, from which level on, and which program they name. Those who
    /// have copies of the value share it; on standard error, so do all servers of the process.
    package func configure(_ format: LogFormat, from level: LogLevel, naming program: String) {
        owner.writer.write(naming: program)
        owner.writer.write(as: format)
        owner.writer.write(from: level)
    }

    /// Sets which lines are written: those of a level and above. Any thread.
    package func write(from level: LogLevel) { owner.writer.write(from: level) }

    /// The least that is written.
    package var level: LogLevel { owner.writer.level }

    /// How many lines were offered since the start, also by other copies of the value.
    package var counts: LogCounts { owner.writer.counts }

    /// Whether lines of a level are written: what makes a line's fields may ask first.
    package func writes(_ level: LogLevel) -> Bool { owner.writer.writes(level) }

    package func debug(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        offer(.debug, event, message, fields)
    }

    package func notice(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        offer(.info, event, message, fields)
    }

    package func warning(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        offer(.warning, event, message, fields)
    }

    package func error(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        offer(.error, event, message, fields)
    }

    /// What writes texts of others as warnings of one event.
    package func warnings(_ event: LogEvent) -> @Sendable (String) -> Void {
        { [self] text in warning(event, text) }
    }

    package func write(
        _ level: LogLevel,
        _ event: LogEvent,
        _ message: String,
        _ fields: [LogField]
    ) {
        offer(level, event, message, fields)
    }

    /// Writes as many lines of an event as there is room for beside what matters more. The first so
    /// many are made on the log's own thread.
    package func details(
        _ count: Int,
        _ event: LogEvent,
        _ make: @escaping @Sendable (Int) -> [(message: String, fields: [LogField])]
    ) {
        guard writes(.info) else { return }
        let time = SystemTime.wallNanoseconds()
        owner.writer.offer(details: count) { [store] count in
            make(count).map {
                LogLine(.info, event, of: store, $0.message, $0.fields, at: time)
            }
        }
    }

    private func offer(
        _ level: LogLevel,
        _ event: LogEvent,
        _ message: String,
        _ fields: [LogField]
    ) {
        guard owner.writer.writes(level) else { return }
        owner.writer.offer(LogLine(level, event, of: store, message, fields))
    }

    /// Returns when all lines are written, or after a second.
    package func flush() {
        owner.writer.flush(seconds: Self.flushSecondsMax)
    }

    private static let flushSecondsMax = 1.0
}
