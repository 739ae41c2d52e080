import StoreActionCatalog
import StoreAdmission
import StoreCommandLine
import StoreCore
import StoreHTTP
import StoreHTTPTransport

// The web around the server: pages, proxies, the shares of clients, sockets at paths.

extension ServerConfiguration {
    /// Returns the rules for the web around the server. A process calls this once, because the
    /// rules count the requests of clients.
    ///
    /// - Parameter clock: the clock by which shares are restored.
    /// - Returns: the rules, which all stores of the process share.
    func webRules(_ clock: any WallClock) -> WebRules {
        let rates: [(RateLimitKind, Rate?)] = [
            (.requests, rateRequests), (.actions, rateActions), (.sessions, rateSessions),
            (.streams, rateStreams),
        ]
        var limits: [RateLimitKind: RateLimit] = [:]
        for (kind, rate) in rates {
            guard let rate else { continue }
            limits[kind] = RateLimit(count: rate.count, seconds: rate.seconds)
        }
        return WebRules(
            origins: corsOrigins,
            proxies: trustedProxies.isEmpty ? nil : TrustedProxies(trustedProxies),
            limits: RateLimits(limits, clock: clock)
        )
    }

    /// The mode and the group of sockets at paths, which decide who may connect.
    var socketAccess: SocketAccess {
        SocketAccess(
            mode: SocketAccess.mode(socketMode) ?? SocketAccess().mode,
            group: socketGroup.isEmpty ? nil : SocketAccess.group(socketGroup)
        )
    }

    /// Refuses options about the web that can't be used.
    ///
    /// - Throws: `ConfigurationError`, whose message has one line about the first mistake.
    func checkWeb() throws(ConfigurationError) {
        for origin in corsOrigins where !OriginRule.isOrigin(origin) {
            throw .value(origin, of: "--cors-origin", allowed: Self.allowedOrigin(for: origin))
        }
        for proxy in trustedProxies where TrustedProxies([proxy]) == nil {
            throw .value(proxy, of: "--trusted-proxy", allowed: Self.allowedProxy)
        }
        guard SocketAccess.mode(socketMode) != nil else {
            throw .value(socketMode, of: "--socket-mode", allowed: Self.allowedMode)
        }
        guard socketGroup.isEmpty || SocketAccess.group(socketGroup) != nil else {
            throw ConfigurationError("--socket-group: there is no group '\(socketGroup)'")
        }
    }

    /// Returns a description of the values that are allowed in place of a text that is no origin.
    static func allowedOrigin(for text: String) -> String {
        let reason =
            text == "*"
            ? "; '*' would let every page that a user opens read the state and dispatch, with the "
                + "user's cookies"
            : text == "null" ? "; 'null' is the origin of all sandboxed pages" : ""
        return "an origin as browsers write it, such as https://app.example or "
            + "http://localhost:5173: in small letters, without a path and without the usual port"
            + reason
    }

    static let allowedProxy = "an address such as 10.0.0.0/8 or 2001:db8::1, or unix"
    static let allowedMode = "a mode in octal digits, such as 0660"
}

/// A number of requests or other units in a number of seconds. A client may use all of them at
/// once; they are restored at an even pace.
public struct Rate: Sendable, Equatable, CustomStringConvertible {
    /// The maximum at once, 1 to 1,000,000.
    public let count: Int
    /// The seconds in which all of them are restored, 1 to 86,400.
    public let seconds: Int

    /// Makes a rate; `nil` if one of the numbers is out of its bounds.
    public init?(_ count: Int, in seconds: Int) {
        guard 1...1_000_000 ~= count, 1...86_400 ~= seconds else { return nil }
        self.count = count
        self.seconds = seconds
    }

    /// Reads `100/60`: 100 in 60 seconds.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), let seconds = Int(parts[1]) else {
            return nil
        }
        self.init(count, in: seconds)
    }

    /// The text form of the rate in a flag: `100/60`.
    public var description: String { "\(count)/\(seconds)" }
}

// Options

extension ServerConfiguration {
    /// The options about the web around the server.
    static let web: [Option] = [
        .list(
            "cors-origin",
            "ORIGIN",
            \.corsOrigins,
            help: "pages of this origin may use the server: https://app.example",
            check: { OriginRule.isOrigin($0) ? nil : allowedOrigin(for: $0) }
        ),
        .list(
            "trusted-proxy",
            "ADDRESS",
            \.trustedProxies,
            help: "a trusted proxy, which gives the addresses of clients: 10.0.0.0/8, ::1 or unix",
            check: { TrustedProxies([$0]) == nil ? allowedProxy : nil }
        ),
        .rate("rate-requests", \.rateRequests, help: "how many requests one address may send"),
        .rate("rate-actions", \.rateActions, help: "how many actions one address may dispatch"),
        .rate("rate-sessions", \.rateSessions, help: "how many sessions one address may begin"),
        .rate("rate-streams", \.rateStreams, help: "how many streams one address may open"),
        .text(
            "socket-mode",
            "MODE",
            \.socketMode,
            help: "the mode of unix sockets",
            check: { SocketAccess.mode($0) == nil ? allowedMode : nil }
        ),
        .text(
            "socket-group",
            "GROUP",
            \.socketGroup,
            help: "the group of unix sockets, by name or number; if empty, the process's group",
            check: { _ in nil }
        ),
    ]
}

extension ConfigurationOption<ServerConfiguration> {
    /// Makes an option for a rate; its value `0` stands for no bound.
    fileprivate static func rate(
        _ name: String,
        _ member: any WritableKeyPath<ServerConfiguration, Rate?> & Sendable,
        help: String
    ) -> Self {
        Self(
            name: name,
            placeholder: "N/S",
            help: "\(help), N in S seconds, 0 for any number",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    let rate = Rate(value)
                    guard value == "0" || rate != nil else {
                        throw .value(
                            value,
                            of: origin,
                            allowed: "N/S, 1 to 1000000 in 1 to 86400 seconds, such as 100/60; or 0"
                        )
                    }
                    configuration[keyPath: member] = rate
                }
            },
            show: { [$0[keyPath: member]?.description ?? "0"] }
        )
    }
}
