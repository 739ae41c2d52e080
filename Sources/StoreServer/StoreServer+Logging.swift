import StoreCore
import StoreTelemetry

/// One line that a server writes for its operator.
public struct LogEntry: Sendable, Equatable, CustomStringConvertible {
    /// How much a line matters.
    public enum Level: Sendable {
        /// What helps to find a mistake, and is not written unless it is asked for.
        case debug
        /// What the server does: it listens, it stops.
        case notice
        /// What works less well than it should.
        case warning
        /// What failed.
        case error
    }

    /// How much it matters.
    public let level: Level
    /// What the line is about, by a name that stays: `journal.failed`.
    public let event: String
    /// The store that it is about, where there are several.
    public let store: String?
    /// What happened, in one line without control characters.
    public let message: String
    /// What belongs to it, in an order that stays.
    public let fields: [Field]

    /// The line as text: the message behind the name of its store, with the fields.
    public let description: String

    /// A member of a line.
    public struct Field: Sendable, Equatable {
        /// Its name.
        public let name: String
        /// Its value, as it came: escape it where a line is made of it.
        public let value: String
    }

    init(_ line: LogLine) {
        level =
            switch line.level {
            case .debug: .debug
            case .info: .notice
            case .warning: .warning
            case .error: .error
            }
        event = line.event?.rawValue ?? ""
        store = line.store
        message = line.message
        fields = line.fields.map { Field(name: $0.name, value: $0.value.plain) }
        description = line.text
    }
}

extension Logger {
    /// What effects and use cases write to.
    var forEffects: OperatorLog {
        OperatorLog(withFields: { level, message, fields in
            let level: LogLevel =
                switch level {
                case .notice: .info
                case .warning: .warning
                case .error: .error
                }
            let fields = fields.map { LogField($0.name, .text($0.value)) }
            write(level, .programNoted, message, fields)
        })
    }
}

extension StoreServer {
    /// The same server, which hands the lines for its operator to `write`, and not to standard
    /// error.
    ///
    /// ```swift
    /// StoreServer(AppState.self).logging { entry in syslog(entry.level, entry.message) }
    /// ```
    ///
    /// - Parameter write: called for one line after the other, on a thread of their own, so it may
    ///   take its time. At most 1,024 lines wait; those beyond are lost, and a line has their
    ///   number.
    /// - Returns: the server that writes its lines there alone.
    public func logging(
        _ write: @escaping @Sendable (_ entry: LogEntry) -> Void
    ) -> StoreServer {
        var server = self
        server.log = write
        return server
    }

    /// Makes the logger of a server that is about to start. Standard error is written as the
    /// configuration says; lines of a program's own have levels alone.
    func makeLogger(_ configuration: ServerConfiguration = ServerConfiguration()) -> Logger {
        let logger = log.map { log in Logger(LogWriter { log(LogEntry($0)) }) } ?? .standardError
        logger.configure(
            configuration.logFormat.written,
            from: configuration.logLevel.written,
            naming: name
        )
        return logger
    }
}
