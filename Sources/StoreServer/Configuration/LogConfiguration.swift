import StoreTelemetry

extension ServerConfiguration {
    /// How the lines for the operator are written.
    public enum LogFormat: String, Sendable, CaseIterable {
        /// For people: the message, and behind it the fields.
        case text
        /// One JSON object in a line, for programs.
        case json

        var written: StoreTelemetry.LogFormat { self == .json ? .json : .text }
    }

    /// Which lines for the operator are written.
    public enum LogLevel: String, Sendable, CaseIterable {
        /// All, also what helps to find a mistake.
        case debug
        /// What the server does, and what follows.
        case info
        /// What works less well than it should, and what follows.
        case warning
        /// What failed.
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
