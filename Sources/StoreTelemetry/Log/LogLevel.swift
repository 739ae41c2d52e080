import Synchronization

/// How much a line matters, and which lines are written: those of the chosen level and above.
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

/// How lines are written.
package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: `store-server: warning: message field="value" event=name time=…`.
    case text
    /// One JSON object in a line.
    case json
}
