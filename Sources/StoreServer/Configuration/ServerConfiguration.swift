import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StoreWire

/// Everything about a server that its operator may choose, with the defaults of a fresh one.
///
/// ``StoreServer/main()`` makes it of flags, environment and file; a program that embeds a server
/// makes it itself. Times are in seconds, sizes in bytes.
///
/// A bound that another type enforces has the default of that type.
public struct ServerConfiguration: Sendable, Equatable {
    private static let transport = TransportConfiguration(addresses: [])
    private static let streams = StreamLimits()
    private static let retention = Retention()
    private static let json = JSONLimits()

    /// Where to listen: `127.0.0.1:8080`, `[::1]:8080`, `unix:/path`, or `fd:3` for a socket that
    /// the process was started with; port 0 picks a free one.
    public var listen = ["127.0.0.1:8080"]
    /// The mode of the sockets at paths, in octal digits: connecting needs the right to write.
    public var socketMode = "0660"
    /// The group of the sockets at paths, by name or number; empty for that of the process.
    public var socketGroup = ""
    /// Where operators come in, apart from clients: `/metrics`, `/livez`, `/readyz`, `/analytics`
    /// and `/debug/…` are served there and not at ``listen``. Empty for one place for all.
    public var adminListen: [String] = []
    /// Listening beyond loopback without authentication is meant.
    public var allowAnonymous = false
    /// A JSON file with what each role may do; `nil` where anonymous may do everything.
    public var policyFile: String?
    /// Further values that the `Host` header may have, besides loopback and the addresses above.
    public var allowedHosts: [String] = []
    /// The origins of pages that may use the server as its own may, as browsers write them:
    /// `https://app.example`.
    public var corsOrigins: [String] = []
    /// The proxies whose word about a client's address is taken: addresses, with or without a
    /// length, or `unix` for all that connect to a unix socket.
    public var trustedProxies: [String] = []
    /// How many requests a client may send in a time; `nil` for any number. A client is an address,
    /// of IPv6 its first 64 bits.
    public var rateRequests: Rate?
    /// How many actions a client may dispatch in a time, those of arrays one by one.
    public var rateActions: Rate?
    /// How many sessions a client may begin in a time.
    public var rateSessions: Rate?
    /// How many streams a client may open in a time.
    public var rateStreams: Rate?

    /// The file with the digests of API keys, which `store-server token create` makes; `nil` where
    /// no API key is taken.
    public var authKeysFile: String?
    /// PEM or JWK Set files with the keys of the issuer whose JWTs are taken; empty where none is.
    public var jwtKeyFiles: [String] = []
    /// What `iss` of a JWT has to be; needed with ``jwtKeyFiles``.
    public var jwtIssuer: String?
    /// One of these has to be in `aud` of a JWT; at least one is needed with ``jwtKeyFiles``.
    public var jwtAudiences: [String] = []
    /// The claim of a JWT that names the role.
    public var jwtRoleClaim = "role"
    /// How many seconds the clocks of issuer and server may differ, 0 to 60.
    public var jwtLeewaySeconds = 30
    /// How many seconds the cookie of `POST /session` lasts at most.
    public var authCookieSeconds = 43_200
    /// True if browsers send the cookies of principals and sessions over TLS alone.
    public var cookieSecure = CookieSecurity.auto

    /// Serve the operator's debug surface, `/debug/…`, to everyone who may ask for the state.
    public var debugRoutes = false

    /// What effects pause on, and what the times of actions are read from.
    public var clock = ClockSource.system

    /// Where history lives: a directory of the server's own.
    public var dataDirectory = "./data"
    /// Keep history in memory: a restart begins anew.
    public var ephemeral = false
    /// Go on with what is intact of a damaged history, as a new one.
    public var acceptDataLoss = false
    /// A JSON file with the state before the first action, where history begins; `nil` for the
    /// state that the program begins with.
    public var stateFile: String?
    /// How many applied actions the memory journal keeps; older ones are forgotten.
    public var historyMax = Int(Retention.inMemory.recordsMax ?? 0)
    /// How long applied actions are kept at least; 0 for ever.
    public var retainSeconds = Int(retention.secondsMax ?? 0)
    /// How many bytes of applied actions are kept at least; 0 for all.
    public var retainBytes = Int(retention.bytesMax ?? 0)
    /// The most actions after a snapshot of the state; fewer make a start faster.
    public var snapshotRecords = 10_000

    /// Where analytics lines go; a program's command line has standard output as the default.
    public var analytics = AnalyticsDestination.off
    /// The `source` of every analytics line (CloudEvents 1.0, a URI reference).
    public var analyticsSource = "/store-server"
    /// How many of the last analytics events `GET /analytics` shows to operators; 0 for none, and
    /// then the route is not there. At most 10,000, and 16 MiB of them, are kept for each store.
    public var analyticsRecent = 0

    /// Keep nothing of who sent an action: neither address nor user agent, and of the session only
    /// the name, where sessions have slices of their own.
    public var forgetClients = false
    /// Show clients without a session what all sessions have, as to operators. For machines that
    /// only operators reach.
    public var operatorReads = false
    /// How the log is written; on standard error, for all servers of the process.
    public var logFormat = LogFormat.text
    /// Which lines the log has; read again on SIGHUP.
    public var logLevel = LogLevel.info
    /// Write a line to the log for each request and each stream when it ends, without its query,
    /// its headers and its body.
    public var accessLog = false
    /// Write a line to the log for each applied action, without its payload.
    public var logActions = false
    /// The wire names of actions that get no such line.
    public var logExcluded: [String] = []

    /// Where traces are exported to: the URL of an OpenTelemetry collector that takes OTLP over
    /// HTTP, with or without its path `/v1/traces`; `nil` for nowhere.
    public var otlpEndpoint: String?
    /// A file with header fields for the collector, a line for each; read again on SIGHUP.
    public var otlpHeadersFile: String?
    /// How many of all new traces are exported, 0 to 1; read again on SIGHUP. A trace that a
    /// request names is exported where its `traceparent` says that it is sampled.
    public var otlpSample = 1.0
    /// The `service.name` of the traces; `nil` for the program's name.
    public var otlpService: String?

    /// The most that request line and headers may take.
    public var headersBytesMax = transport.headersBytesMax
    /// The longest request target.
    public var uriBytesMax = transport.uriBytesMax
    /// The largest request body; at most what one record of history can hold.
    public var bodyBytesMax = json.bytesMax
    /// How deep a JSON body may nest.
    public var depthMax = json.depthMax
    /// The most actions in one array.
    public var batchMax = JSONSchema.batchMax
    /// The most actions that wait for the Core before dispatch answers 503.
    public var mailboxMax = CoreConfiguration<Int>().mailboxMax
    /// The most connections that carry requests.
    public var connectionsMax = transport.connectionsMax
    /// The most of them from one address, or one IPv6 network of 64 bits; 0 for a quarter of all.
    /// Addresses of this machine, where a proxy may be, are not bounded by it.
    public var connectionsPerAddressMax = transport.connectionsPerAddressMax
    /// The most open streams; they count apart from the connections above.
    public var streamsMax = streams.streamsMax

    /// The memory above 90 % of which streams are refused, and those of slow readers ended; 0 for
    /// what the control group allows, where it sets a bound (cgroups(7), version 2).
    public var memoryBytesMax = 0

    /// The most that bodies and answers of requests take that are under way, beside 4 KiB of each;
    /// half of it for bodies, a quarter for one address or principal. At least four times the
    /// largest body. 0 for a quarter of the memory's bound, or 256 MiB where there is none.
    public var buffersBytesMax = 0

    /// The most sessions of clients.
    public var sessionsMax = 10_000
    /// The most sessions that clients of one address have begun; all unix sockets are one address.
    public var sessionsPerAddressMax = 1_000
    /// How long a session lasts while no request of it comes or waits and no stream of it is open.
    public var sessionIdleSeconds = 86_400

    /// How long a client may take to send its headers.
    public var headersSeconds = Int(transport.headersSeconds)
    /// How long a client may take to send its body.
    public var bodySeconds = Int(transport.bodySeconds)
    /// How long a connection may idle between two requests.
    public var idleSeconds = Int(transport.idleSeconds)
    /// How often a silent stream gets a heartbeat.
    public var heartbeatSeconds = streams.heartbeatSeconds
    /// How long a stream's reader may take nothing before it is closed.
    public var stallSeconds = streams.stallSeconds
    /// How long a stream may last; 0 for as long as its reader likes.
    public var streamLifetimeSeconds = streams.lifetimeSeconds
    /// How long a reducer may take before its action is named in the log.
    public var slowActionSeconds = 1
    /// How long a reducer may take before `GET /livez` is 503.
    public var stuckActionSeconds = 10
    /// How long a clean stop may take.
    public var shutdownSeconds = 10
    /// A role that may do everything beside those of the policy; `nil` for none. No option sets it:
    /// it is for a server that a script is played against.
    var readerRole: String?

    /// Makes the configuration of a fresh server.
    public init() {}
}

/// Where a server has its time from.
public enum ClockSource: String, Sendable, CaseIterable {
    /// The machine's clocks.
    case system
    /// A clock that stands still until a client moves it (`POST /test/clock/advance`), with random
    /// numbers and identifiers that are the same in every run: for tests alone.
    case test
}

/// Whether browsers send a cookie over TLS alone (RFC 6265, `Secure`).
public enum CookieSecurity: String, Sendable, CaseIterable {
    /// The cookie of a session if a trusted proxy says that the client came over TLS; that of a
    /// principal unless the `Host` of the request names loopback: browsers there often have no TLS,
    /// and nothing leaves the machine.
    case auto
    /// In all cases.
    case always
    /// Never: what is sent over a network without TLS can be read there.
    case never
}

/// Where analytics lines are written.
public enum AnalyticsDestination: Sendable, Equatable, CustomStringConvertible {
    /// Standard output.
    case stdout
    /// The file at this path, appended to and reopened on SIGHUP.
    case file(String)
    /// Nowhere: the lines are not even made.
    case off

    /// The text form that a flag has: `stdout`, `file:PATH` or `off`.
    public var description: String {
        switch self {
        case .stdout: "stdout"
        case .file(let path): "file:\(path)"
        case .off: "off"
        }
    }
}
