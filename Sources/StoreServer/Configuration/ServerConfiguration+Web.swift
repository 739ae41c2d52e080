import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport

// The web around the server: pages, proxies, how much a client may ask for, sockets at paths.

extension ServerConfiguration {
    /// What holds for the web around the server; made once for a process, for it counts.
    ///
    /// - Parameter clock: by which shares come back.
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

    /// Who may connect to sockets at paths.
    var socketAccess: SocketAccess {
        SocketAccess(
            mode: SocketAccess.mode(socketMode) ?? SocketAccess().mode,
            group: socketGroup.isEmpty ? nil : SocketAccess.group(socketGroup)
        )
    }

    /// - Throws: `ConfigurationError` with the one line that names the first thing wrong.
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

    /// What may stand in the place of a text that is no origin.
    static func allowedOrigin(for text: String) -> String {
        let reason =
            text == "*"
            ? "; '*' would let every page that a user opens read the state and dispatch, with the "
                + "user's cookies"
            : text == "null" ? "; 'null' is what all sandboxed pages have in common" : ""
        return "an origin as browsers write it, such as https://app.example or "
            + "http://localhost:5173: in small letters, without a path and without the usual port"
            + reason
    }

    static let allowedProxy = "an address such as 10.0.0.0/8 or 2001:db8::1, or unix"
    static let allowedMode = "a mode in octal digits, such as 0660"
}
