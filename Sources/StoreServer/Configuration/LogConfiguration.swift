import StoreTelemetry

extension ServerConfiguration {
    /// The format of the lines for the operator.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// For people: the message, followed by the fields.
        case text
        /// A JSON object in a line, for programs.
        case json

        var written: StoreTelemetry.LogFormat { self == .json ? .json : .text }
    }

    /// The lowest level of the lines that are written.
    public enum LogLevel: String, Sendable, CaseIterable {
        /// All lines, also details that help to find a mistake.
        case debug
        /// Events of normal operation, and all higher levels.
        case info
        /// Conditions under which the server works less well than it should, and failures.
        case warning
        /// Failures alone.
        case error

        var written: StoreTelemetry.LogLevel {
            switch self {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        }
    }
}
