import StorePlatform

/// Writes lines for the operator. The logger is a value, passed to each type that writes lines. Any
/// thread may call the logger. No call waits, because the thread of a ``LogWriter`` writes the
/// lines. The writer's thread ends when the last copy of the logger is released.
package struct Logger: Sendable {
    /// The owner of a writer, shared by all copies of a logger. The owner's deinitializer ends the
    /// writer's thread.
    private final class Owner: Sendable {
        let writer: LogWriter

        init(_ writer: LogWriter) { self.writer = writer }

        deinit { writer.close() }
    }

    private let owner: Owner
    /// The name of a store, which all lines of this logger contain; `nil` if there is only one
    /// store.
    private var store: String?

    package init(_ writer: LogWriter) { owner = Owner(writer) }

    /// Returns a logger whose lines name a store.
    package func naming(_ store: String) -> Logger {
        var logger = self
        logger.store = store
        return logger
    }

    package static let standardError = Logger(LogWriter.standardError)

    /// Sets the format, the lowest level and the program's name of lines. The settings apply to all
    /// copies of the logger. On standard error, the settings apply to all servers of the process.
    package func configure(_ format: LogFormat, from level: LogLevel, naming program: String) {
        owner.writer.setFormat(format, program: program)
        owner.writer.setLevel(level)
    }

    /// Sets the lowest level of the lines that are written. Any thread may call this function.
    package func setLevel(_ level: LogLevel) { owner.writer.setLevel(level) }

    package var level: LogLevel { owner.writer.level }

    /// The numbers of offered lines since the start, including lines from other copies of the
    /// logger.
    package var counts: LogCounts { owner.writer.counts }

    /// Returns true if lines of a level are written. A caller can save the cost of a line's fields
    /// if the line would not be written.
    package func writes(_ level: LogLevel) -> Bool { owner.writer.writes(level) }

    package func debug(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        write(.debug, event, message, fields)
    }

    package func info(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        write(.info, event, message, fields)
    }

    package func warning(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        write(.warning, event, message, fields)
    }

    package func error(_ event: LogEvent, _ message: String, _ fields: LogField...) {
        write(.error, event, message, fields)
    }

    /// Returns a function that writes each text as a warning of this event.
    package func warningWriter(_ event: LogEvent) -> @Sendable (String) -> Void {
        { [self] text in warning(event, text) }
    }

    package func write(
        _ level: LogLevel,
        _ event: LogEvent,
        _ message: String,
        _ fields: [LogField]
    ) {
        guard writes(level) else { return }
        owner.writer.offer(LogLine(level, event, of: store, message, fields))
    }

    /// Writes up to `count` detail lines, as many as fit. Half of the queue is for other lines.
    /// `make` gets the number of lines, and runs on the log's thread.
    package func writeDetails(
        _ count: Int,
        _ event: LogEvent,
        _ make: @escaping @Sendable (Int) -> [(message: String, fields: [LogField])]
    ) {
        guard writes(.info) else { return }
        let time = SystemTime.wallNanoseconds()
        owner.writer.offer(details: count) { [store] count in
            make(count).map { LogLine(.info, event, of: store, $0.message, $0.fields, at: time) }
        }
    }

    private static let flushSecondsMax = 1.0

    /// Waits until all lines are written, or a second is over.
    package func flush() { owner.writer.flush(seconds: Self.flushSecondsMax) }
}
