import Synchronization

/// The importance of a line. The log writes the lines of a chosen level and above.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

/// The format of log lines.
package enum LogFormat: String, Sendable, CaseIterable {
    /// Lines for the operator: `store-server: warning: message field="value" event=name time=…`.
    case text
    /// A JSON object on each line.
    case json
}
