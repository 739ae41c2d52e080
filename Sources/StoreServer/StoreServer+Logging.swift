import StoreCore
import Telemetry

/// One line that a server writes for its operator.
public struct LogEntry: Sendable, Equatable, CustomStringConvertible {
    /// How much a line matters.
    public enum Level: Sendable {
        /// What the server does: it listens, it stops.
        case notice
        /// What works less well than it should.
        case warning
        /// What failed.
        case error
    }

    /// How much it matters.
    public let level: Level
    /// What happened, in one line without control characters.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ line: LogLine) {
        level =
            switch line.level {
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
        message = line.message
    }
}

extension Logger {
    /// What effects and use cases write to.
    var forEffects: OperatorLog {
        OperatorLog { level, line in
            switch level {
            case .notice: notice(line)
            case .warning: warning(line)
            case .error: error(line)
            }
        }
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

    /// Makes the logger of a server that is about to start.
    func makeLogger() -> Logger {
        guard let log else { return .standardError }
        return Logger(LogWriter { log(LogEntry($0)) })
    }
}
