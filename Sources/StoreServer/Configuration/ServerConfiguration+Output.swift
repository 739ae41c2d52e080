import StoreTelemetry

extension ServerConfiguration {
    /// The lines of analytics.
    public struct Analytics: Sendable, Equatable {
        /// The destination of the lines; by default off. On the command line of a program, the
        /// default is standard output.
        public var destination = AnalyticsDestination.off
        /// The attribute `source` of every line (CloudEvents 1.0, a URI reference). On the command
        /// line of a program, the default is a slash and the program's name.
        public var eventSource = "/store-server"
        /// The number of newest events that `GET /analytics` shows to operators, at most 10,000. By
        /// default `nil`: the route does not exist. Each store keeps at most 16 MiB of events.
        public var recentEventsMax: Int?
    }

    /// The log, on standard error or in the program.
    public struct Log: Sendable, Equatable {
        /// The format on standard error, for all servers of the process.
        public var format = Format.text
        /// The lowest level of the lines that are written; read again on SIGHUP.
        public var level = Level.info
        /// True if the log gets a line for each request, and a line for each stream when the stream
        /// ends. These lines have no query, header or body.
        public var logsRequests = false
        /// True if the log gets a line for each applied action, without its payload.
        public var logsActions = false
        /// The wire names of actions that get no line in the log.
        public var excludedActions: [String] = []
    }

    /// The export of traces.
    public struct Traces: Sendable, Equatable {
        /// The URL of an OpenTelemetry collector that takes OTLP over HTTP, with or without its
        /// path `/v1/traces`. If `nil`, no traces are exported.
        public var endpoint: String?
        /// A file with header fields for the collector, a field on each line; read again on SIGHUP.
        public var headersFile: String?
        /// The ratio of new traces that are exported, 0 to 1; by default 1; read again on SIGHUP.
        /// If a request names its trace in `traceparent`, the sampled flag there decides about the
        /// export.
        public var sampleRatio = 1.0
        /// The attribute `service.name` of the traces, 1 to 255 bytes; `nil` for the program's
        /// name.
        public var serviceName: String?
    }
}

/// The destination of analytics lines.
public enum AnalyticsDestination: Sendable, Equatable, CustomStringConvertible {
    /// Standard output.
    case stdout
    /// The file at this path, appended to and reopened on SIGHUP.
    case file(String)
    /// No destination. The server does not make the lines.
    case off

    init?(_ text: String) {
        switch text {
        case "stdout": self = .stdout
        case "off": self = .off
        case let file where file.hasPrefix("file:") && file.utf8.count > 5:
            self = .file(String(file.dropFirst(5)))
        default: return nil
        }
    }

    /// The text form of the destination in a flag: `stdout`, `file:PATH` or `off`.
    public var description: String {
        switch self {
        case .stdout: "stdout"
        case .file(let path): "file:\(path)"
        case .off: "off"
        }
    }
}

extension ServerConfiguration.Log {
    /// The format of the lines for the operator.
    public enum Format: String, Sendable, CaseIterable {
        /// A text for people: the message, followed by the fields.
        case text
        /// A JSON object in a line, for programs.
        case json

        var logFormat: LogFormat { self == .json ? .json : .text }
    }

    /// The lowest level of the lines that are written.
    public enum Level: String, Sendable, CaseIterable {
        /// Every line, also details that help to find a mistake.
        case debug
        /// Events of normal operation, and all higher levels.
        case info
        /// Conditions under which the server works less well than it should, and failures.
        case warning
        /// Failures only.
        case error

        /// The level of the log with the same name.
        var logLevel: LogLevel { LogLevel(rawValue: rawValue) ?? .info }
    }
}
