import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreTelemetry

/// The settings of a server that its operator may choose, with the defaults of a fresh server.
///
/// ``StoreServer/main()`` makes the configuration from flags, environment and file. A program that
/// embeds a server makes it itself. Times are in seconds, sizes in bytes.
///
/// A bound that another type enforces has the default of that type.
public struct ServerConfiguration: Sendable, Equatable {
    private static let transport = TransportConfiguration(addresses: [])
    private static let streams = StreamLimits()
    private static let retention = Retention()
    private static let json = JSONLimits()

    /// The addresses of the listeners: `127.0.0.1:8080`, `[::1]:8080`, `unix:/path`, or `fd:3` for
    /// a socket that the process inherited. Port 0 picks a free port.
    public var listen = ["127.0.0.1:8080"]
    /// The mode of the sockets at paths, in octal digits: a client needs the right to write.
    public var socketMode = "0660"
    /// The group of the sockets at paths, by name or number; empty for the group of the process.
    public var socketGroup = ""
    /// The addresses of listeners for operators: `/metrics`, `/livez`, `/readyz`, `/analytics` and
    /// `/debug/…` are served there and not at ``listen``. If empty, ``listen`` serves all routes.
    public var adminListen: [String] = []
    /// True if the operator accepts that the server listens beyond loopback without authentication.
    public var allowAnonymous = false
    /// A JSON file with the rights of each role; `nil` if anonymous may do everything.
    public var policyFile: String?
    /// Further values that the `Host` header may have, besides loopback and the addresses above.
    public var allowedHosts: [String] = []
    /// The origins of pages that have the same rights as the server's own pages, as browsers write
    /// them: `https://app.example`.
    public var corsOrigins: [String] = []
    /// The trusted proxies, which may name a client's address: addresses, with or without a prefix
    /// length, or `unix` for all peers of a unix socket.
    public var trustedProxies: [String] = []
    /// The maximum rate of requests of a client; `nil` for any number. A client is an address; of
    /// an IPv6 address, its first 64 bits.
    public var rateRequests: Rate?
    /// The maximum rate of actions of a client; each action of an array counts.
    public var rateActions: Rate?
    /// The maximum rate at which a client may begin sessions.
    public var rateSessions: Rate?
    /// The maximum rate at which a client may open streams.
    public var rateStreams: Rate?

    /// The file with the digests of API keys, which `store-server token create` makes; `nil` if the
    /// server accepts no API keys.
    public var authKeysFile: String?
    /// PEM or JWK Set files with the issuer's keys; empty if the server accepts no JWTs.
    public var jwtKeyFiles: [String] = []
    /// The required value of `iss` in a JWT; needed with ``jwtKeyFiles``.
    public var jwtIssuer: String?
    /// The accepted values of `aud` in a JWT, which must contain at least one of them. Needed with
    /// ``jwtKeyFiles``.
    public var jwtAudiences: [String] = []
    /// The claim of a JWT that names the role.
    public var jwtRoleClaim = "role"
    /// The maximum difference between the clocks of issuer and server, 0 to 60 seconds.
    public var jwtLeewaySeconds = 30
    /// The maximum lifetime of the cookie of `POST /session`, in seconds.
    public var authCookieSeconds = 43_200
    /// The rule for the attribute `Secure` of the cookies of principals and sessions.
    public var cookieSecure = CookieSecurity.auto

    /// True if the operator's debug routes, `/debug/…`, are served, to every client that may read
    /// the state.
    public var debugRoutes = false

    /// The clock for the pauses of effects and the times of actions.
    public var clock = ClockSource.system

    /// The directory of the history, which belongs to the server alone.
    public var dataDirectory = "./data"
    /// True if history is kept in memory: a restart begins a new history.
    public var ephemeral = false
    /// True if the server starts from the intact part of a damaged history, as a new history.
    public var acceptDataLoss = false
    /// A JSON file with the state before the first action, if history begins; `nil` for the
    /// program's own first state.
    public var stateFile: String?
    /// The number of applied actions that the journal in memory keeps; older ones are forgotten.
    public var historyMax = Int(Retention.inMemory.recordsMax ?? 0)
    /// The age at which applied actions may be forgotten, if a newer snapshot makes them
    /// unnecessary; 0 for never.
    public var retainSeconds = Int(retention.secondsMax ?? 0)
    /// The size of all applied actions above which the oldest may be forgotten, if a newer snapshot
    /// makes them unnecessary; 0 for no bound. Age and size count independently.
    public var retainBytes = Int(retention.bytesMax ?? 0)
    /// The maximum number of actions after a snapshot of the state. A smaller number makes a start
    /// faster.
    public var snapshotRecords = 10_000

    /// The destination of analytics lines; a program's command line has standard output as the
    /// default.
    public var analytics = AnalyticsDestination.off
    /// The `source` of every analytics line (CloudEvents 1.0, a URI reference).
    public var analyticsSource = "/store-server"
    /// The number of last analytics events that `GET /analytics` shows to operators. With 0, the
    /// route does not exist. Each store keeps at most 10,000 events, and at most 16 MiB of them.
    public var analyticsRecent = 0

    /// True if the server keeps nothing about the sender of an action: neither address nor user
    /// agent. The name of the session is kept only if sessions have slices of their own.
    public var forgetClients = false
    /// True if clients without a session read the slices of all sessions, like operators. For
    /// machines that only operators reach.
    public var operatorReads = false
    /// The format of the log on standard error, for all servers of the process.
    public var logFormat = LogFormat.text
    /// The level of the log; read again on SIGHUP.
    public var logLevel = LogLevel.info
    /// True if the log gets a line for each request and each stream when it ends, without its
    /// query, its headers and its body.
    public var accessLog = false
    /// True if the log gets a line for each applied action, without its payload.
    public var logActions = false
    /// The wire names of actions that get no such line.
    public var logExcluded: [String] = []

    /// The URL of an OpenTelemetry collector that takes OTLP over HTTP, with or without its path
    /// `/v1/traces`. If `nil`, no traces are exported.
    public var otlpEndpoint: String?
    /// A file with header fields for the collector, a line for each; read again on SIGHUP.
    public var otlpHeadersFile: String?
    /// The part of all new traces that is exported, 0 to 1; read again on SIGHUP. A trace that a
    /// request names is exported if its `traceparent` has the sampled flag.
    public var otlpSample = 1.0
    /// The `service.name` of the traces; `nil` for the program's name.
    public var otlpService: String?

    /// The maximum size of the request line and the headers.
    public var headersBytesMax = transport.headersBytesMax
    /// The maximum length of the request target.
    public var uriBytesMax = transport.uriBytesMax
    /// The maximum size of a request body; at most the size of one record of history.
    public var bodyBytesMax = json.bytesMax
    /// The maximum depth of a JSON body.
    public var depthMax = json.depthMax
    /// The maximum number of actions in one array.
    public var batchMax = JSONSchema.batchMax
    /// The maximum number of actions that wait for the Core. A dispatch beyond it gets 503.
    public var mailboxMax = CoreConfiguration<Int>().mailboxMax
    /// The maximum number of connections that carry requests.
    public var connectionsMax = transport.connectionsMax
    /// The maximum number of connections from one address, or one IPv6 network of 64 bits; 0 for a
    /// quarter of all. Addresses of this machine, which may be a proxy's, have no such bound.
    public var connectionsPerAddressMax = transport.connectionsPerAddressMax
    /// The maximum number of open streams, which count apart from the connections above.
    public var streamsMax = streams.streamsMax

    /// The bound on the memory of the process. Above 90 % of it, streams are refused, and streams
    /// of slow readers end. If 0, the bound of the control group is used, if it has one
    /// (cgroups(7), version 2).
    public var memoryBytesMax = 0

    /// The maximum memory for bodies and answers of requests in progress; the first 4 KiB of each
    /// do not count. Bodies may take half of it, one address or principal a quarter. The minimum is
    /// four times the largest body. If 0, a quarter of the memory's bound is used, or 256 MiB
    /// without a bound.
    public var buffersBytesMax = 0

    /// The maximum number of sessions of clients.
    public var sessionsMax = 10_000
    /// The maximum number of sessions that clients of one address have begun; all unix sockets
    /// count as one address.
    public var sessionsPerAddressMax = 1_000
    /// The time after which an idle session ends: it has no request, no waiting request and no open
    /// stream.
    public var sessionIdleSeconds = 86_400

    /// The maximum time in which a client has to send its headers.
    public var headersSeconds = Int(transport.headersSeconds)
    /// The maximum time in which a client has to send its body.
    public var bodySeconds = Int(transport.bodySeconds)
    /// The maximum idle time of a connection between two requests.
    public var idleSeconds = Int(transport.idleSeconds)
    /// The interval of the heartbeats of a silent stream.
    public var heartbeatSeconds = streams.heartbeatSeconds
    /// The time without progress after which the stream of a slow reader is closed.
    public var stallSeconds = streams.stallSeconds
    /// The maximum lifetime of a stream; 0 for no bound.
    public var streamLifetimeSeconds = streams.lifetimeSeconds
    /// The time in a reducer after which the log names the action.
    public var slowActionSeconds = 1
    /// The time in a reducer after which `GET /livez` is 503.
    public var stuckActionSeconds = 10
    /// The maximum time of a stop. Values below 3.5 s can't be kept if a reducer or the disk hangs.
    public var shutdownSeconds = 10
    /// A role that may do everything, besides the roles of the policy; `nil` for none. No option
    /// sets it: a server that a script is played against uses it.
    var readerRole: String?

    /// Makes the configuration of a fresh server.
    public init() {}
}

/// The source of a server's time.
public enum ClockSource: String, Sendable, CaseIterable {
    /// The machine's clocks.
    case system
    /// A clock that stands still until a client moves it (`POST /test/clock/advance`). Random
    /// numbers and identifiers are the same in every run. For tests alone.
    case test
}

/// The rule for the attribute `Secure` of a cookie, with which browsers send it over TLS alone (RFC
/// 6265).
public enum CookieSecurity: String, Sendable, CaseIterable {
    /// The cookie of a session is secure if a trusted proxy reports that the client came over TLS.
    /// The cookie of a principal is secure unless the `Host` of the request names loopback.
    /// Browsers there often have no TLS, and nothing leaves the machine.
    case auto
    /// All cookies are secure.
    case always
    /// No cookie is secure: a cookie that is sent over a network without TLS can be read there.
    case never
}

/// The destination of analytics lines.
public enum AnalyticsDestination: Sendable, Equatable, CustomStringConvertible {
    /// Standard output.
    case stdout
    /// The file at this path, appended to and reopened on SIGHUP.
    case file(String)
    /// No destination: the lines are not made at all.
    case off

    /// The text form of the destination in a flag: `stdout`, `file:PATH` or `off`.
    public var description: String {
        switch self {
        case .stdout: "stdout"
        case .file(let path): "file:\(path)"
        case .off: "off"
        }
    }
}

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
