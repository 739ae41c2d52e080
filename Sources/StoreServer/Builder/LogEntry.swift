import StoreCore
import StoreTelemetry

/// A line that a server writes for its operator.
public struct LogEntry: Sendable, Equatable, CustomStringConvertible {
    /// The severity of a line.
    public enum Level: Sendable {
        /// Details that help to find a mistake. The log has them only at the level `debug`.
        case debug
        /// An event of normal operation: the server listens, or the server stops.
        case notice
        /// A condition under which the server works less well than it should.
        case warning
        /// A failure.
        case error
    }

    /// The severity of the line.
    public let level: Level
    /// A stable name for the subject of the line: `journal.failed`.
    public let event: String
    /// The store that the line is about; `nil` if the line is about no single store.
    public let store: String?
    /// The message, in one line without control characters.
    public let message: String
    /// The fields of the line, in a stable order.
    public let fields: [Field]

    /// The line as text: the name of its store, the message and the fields.
    public let description: String

    /// A named value of a line.
    public struct Field: Sendable, Equatable {
        /// The name of the field.
        public let name: String
        /// The value as the server received it. Escape it before you put it into a line.
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
        fields = line.fields.map { Field(name: $0.name, value: $0.value.unquotedText) }
        description = line.text
    }
}

extension Logger {
    /// The log that effects and use cases write to.
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

extension Server {
    /// Makes the logger of a server. The configuration sets the lowest level of the lines, and the
    /// format on standard error.
    func makeLogger(_ configuration: ServerConfiguration = ServerConfiguration()) -> Logger {
        let logger =
            writeLogEntry.map { log in Logger(LogWriter { log(LogEntry($0)) }) } ?? .standardError
        logger.configure(
            configuration.log.format.logFormat,
            from: configuration.log.level.logLevel,
            naming: programName
        )
        return logger
    }
}
