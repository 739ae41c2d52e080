import StoreActionCatalog
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
