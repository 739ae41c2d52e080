import StoreHTTPTransport
import StoreJSON

extension ServerConfiguration {
    /// The listeners, and the bounds of connections and requests.
    public struct HTTP: Sendable, Equatable {
        private static let transportDefaults = TransportConfiguration(addresses: [])
        private static let jsonDefaults = JSONLimits()

        /// The addresses of the listeners: `127.0.0.1:8080`, `[::1]:8080`, `unix:/path`, or `fd:3`
        /// for a socket that the process inherited. Port 0 picks a free port.
        public var listen = ["127.0.0.1:8080"]
        /// The addresses of the listeners for operators. Only these listeners serve `/metrics`,
        /// `/livez`, `/readyz`, `/analytics` and `/debug/…`. If there are none, ``listen`` serves
        /// all routes.
        public var adminListen: [String] = []
        /// The file mode of the unix sockets, in octal digits. A client needs the permission to
        /// write.
        public var socketMode = "0660"
        /// The group of the unix sockets, by name or number; `nil` for the group of the process.
        public var socketGroup: String?
        /// True if the server has the debug routes, `/debug/…`. Without a policy, every client may
        /// use these routes.
        public var debugRoutes = false

        /// The maximum size of the request line and the headers, 1 KiB to 1 MiB; by default 16 KiB.
        public var headersBytesMax = transportDefaults.headersBytesMax
        /// The maximum length of the request target, 64 bytes to 1 MiB; by default 8 KiB.
        public var uriBytesMax = transportDefaults.uriBytesMax
        /// The maximum size of a request body, by default 1 MiB; at least 64 bytes, and at most the
        /// size of one record of history.
        public var bodyBytesMax = jsonDefaults.bytesMax
        /// The maximum depth of a JSON body, at least 2; by default 64.
        public var bodyDepthMax = jsonDefaults.depthMax
        /// The maximum memory for bodies and answers of requests in progress, at most 2^50 bytes.
        /// The first 4 KiB of each body and answer do not count. Bodies may take half of this
        /// memory, and one address or principal a quarter. The minimum is four times the largest
        /// body. By default `nil`: a quarter of the bound on the memory of the process, or 256 MiB
        /// if that memory has no bound.
        public var buffersBytesMax: Int?
        /// The maximum number of connections that carry requests, 1 to 1,000,000; by default 4,096.
        public var connectionsMax = transportDefaults.connectionsMax
        /// The maximum number of connections from one address, or from one IPv6 network (`/64`); at
        /// most 1,000,000. By default `nil`: a quarter of ``connectionsMax``. The bound does not
        /// apply to addresses of this machine, because a proxy there opens the connections of many
        /// clients.
        public var connectionsPerAddressMax: Int?

        /// The maximum time in which a client has to send its headers, 1 to 3,600 seconds; by
        /// default 10.
        public var headersTimeout = Duration.seconds(transportDefaults.headersTimeoutSeconds)
        /// The maximum time in which a client has to send its body, 1 to 3,600 seconds; by default
        /// 30.
        public var bodyTimeout = Duration.seconds(transportDefaults.bodyTimeoutSeconds)
        /// The maximum idle time of a connection between two requests, 1 to 3,600 seconds; by
        /// default 30.
        public var idleTimeout = Duration.seconds(transportDefaults.idleTimeoutSeconds)
    }

    /// The allowed hosts and origins, the trusted proxies, and the rates of clients. A rate counts
    /// all clients of one address together; for IPv6, all clients of one network (`/64`).
    public struct Web: Sendable, Equatable {
        /// Further values that the `Host` header may have, besides loopback and the addresses of
        /// the listeners.
        public var allowedHosts: [String] = []
        /// The origins of pages that have the same rights as the server's own pages, as browsers
        /// write them: `https://app.example`.
        public var corsOrigins: [String] = []
        /// The trusted proxies, which may name a client's address: addresses, with or without a
        /// prefix length, or `unix` for all peers of a unix socket.
        public var trustedProxies: [String] = []
        /// The maximum rate of requests of a client; `nil` for no bound.
        public var requestRate: Rate?
        /// The maximum rate of actions of a client; each action of an array counts. `nil` for no
        /// bound.
        public var actionRate: Rate?
        /// The maximum rate at which a client may begin sessions; `nil` for no bound.
        public var sessionRate: Rate?
        /// The maximum rate at which a client may open streams; `nil` for no bound.
        public var streamRate: Rate?
    }

    /// The credentials and the rights of clients.
    public struct Access: Sendable, Equatable {
        /// True if the operator accepts that the server listens on other addresses than loopback
        /// without authentication.
        public var allowAnonymous = false
        /// A JSON file with the rights of each role; `nil` if anonymous clients may do everything.
        public var policyFile: String?
        /// True if clients without a session read the slices of all sessions, like operators. The
        /// setting is meant for machines that only operators reach.
        public var operatorReads = false

        /// The file with the digests of API keys; `nil` if the server accepts no API keys.
        /// `store-server token create` makes the keys.
        public var apiKeysFile: String?
        /// PEM or JWK Set files with the issuer's keys; empty if the server accepts no JWTs.
        public var jwtKeyFiles: [String] = []
        /// The required value of `iss` in a JWT; needed with ``jwtKeyFiles``.
        public var jwtIssuer: String?
        /// The accepted values of `aud`; each JWT must contain at least one of them. Needed with
        /// ``jwtKeyFiles``.
        public var jwtAudiences: [String] = []
        /// The claim of a JWT that names the role; by default `role`.
        public var jwtRoleClaim = "role"
        /// The maximum difference between the clocks of issuer and server, 0 to 60 seconds; by
        /// default 30.
        public var jwtLeeway = Duration.seconds(30)
        /// The maximum lifetime of the cookie of `POST /session`, 60 to 31,536,000 seconds; by
        /// default 12 hours.
        public var cookieLifetime = Duration.seconds(43_200)
        /// The rule for the attribute `Secure` of the cookies of principals and sessions.
        public var cookieSecurity = CookieSecurity.auto
    }

    /// The bounds on the streams of clients.
    public struct Streams: Sendable, Equatable {
        private static let limitDefaults = StreamLimits()

        /// The maximum number of open streams, 0 to 1,000,000; by default 10,000. Streams do not
        /// count among the connections that carry requests.
        public var countMax = limitDefaults.streamsMax
        /// The interval of the heartbeats of a silent stream, 1 to 3,600 seconds; by default 15.
        public var heartbeat = Duration.seconds(limitDefaults.heartbeatSeconds)
        /// The time without progress after which the stream of a slow reader is closed, 1 to 3,600
        /// seconds; by default 30.
        public var stallTimeout = Duration.seconds(limitDefaults.stallSeconds)
        /// The maximum lifetime of a stream, at most 31,536,000 seconds; by default `nil`, for no
        /// bound.
        public var lifetimeMax: Duration?
    }

    /// The sessions of clients.
    public struct Sessions: Sendable, Equatable {
        /// The maximum number of sessions, 0 to 1,000,000; by default 10,000.
        public var countMax = 10_000
        /// The maximum number of sessions that clients of one address have begun, 0 to 1,000,000;
        /// by default 1,000. All unix sockets count as one address.
        public var perAddressMax = 1_000
        /// The time after which an idle session ends, 1 to 31,536,000 seconds; by default a day. An
        /// idle session has no request, no waiting request and no open stream.
        public var idleTimeout = Duration.seconds(86_400)
    }
}

/// The rule for the attribute `Secure` of a cookie. Browsers send a secure cookie only over TLS
/// (RFC 6265).
public enum CookieSecurity: String, Sendable, CaseIterable {
    /// The cookie of a session is secure if a trusted proxy reports that the client uses TLS. The
    /// cookie of a principal is secure unless the `Host` of the request names loopback. A request
    /// to loopback often has no TLS, and never leaves the machine.
    case auto
    /// Every cookie is secure.
    case always
    /// No cookie is secure. Other parties can then read the cookies of clients that use a network
    /// without TLS.
    case never
}

/// A number of requests or other units within a period. A client may use all units at once. The
/// server restores used units at an even pace.
public struct Rate: Sendable, Equatable, CustomStringConvertible {
    /// The maximum number of units at once, 1 to 1,000,000.
    public let count: Int
    /// The time in which all units are restored, 1 to 86,400 whole seconds.
    public let period: Duration

    /// Makes a rate; `nil` if the number or the time is out of its bounds.
    public init?(_ count: Int, in time: Duration) {
        guard 1...1_000_000 ~= count, 1...86_400 ~= time.wholeSeconds,
            time == .seconds(time.wholeSeconds)
        else { return nil }
        self.count = count
        self.period = time
    }

    /// Reads `100/60`: 100 in 60 seconds.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), let seconds = Int(parts[1]) else {
            return nil
        }
        self.init(count, in: .seconds(seconds))
    }

    /// The text form of the rate in a flag: `100/60`.
    public var description: String { "\(count)/\(period.wholeSeconds)" }
}
