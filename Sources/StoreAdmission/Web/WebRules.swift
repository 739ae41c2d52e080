package import StoreHTTPTransport
package import StoreWire

/// The operator's rules for pages, proxies and clients: the allowed origins, the trusted proxies,
/// and the limits on each client. The stores of a process share these rules.
package final class WebRules: Sendable {
    /// The web pages whose requests may change data or open streams.
    package let origins: OriginRule
    /// The header fields for pages of other origins; `nil` if no other origin is allowed.
    package let crossOrigin: CrossOriginFields?
    /// The trusted proxies; `nil` if there are none.
    private let proxies: TrustedProxies?
    /// The limits on each client; `nil` if there are none.
    package let limits: RateLimits?

    /// Makes rules that give pages of these serialized origins the same rights as the server's own
    /// pages.
    package init(
        origins: [String] = [],
        proxies: TrustedProxies? = nil,
        limits: RateLimits? = nil
    ) {
        self.origins = OriginRule(origins)
        crossOrigin = origins.isEmpty ? nil : CrossOriginFields(origins)
        self.proxies = proxies
        self.limits = limits
    }

    /// True if at least one rule applies to every request.
    package var concernsEveryRequest: Bool { crossOrigin != nil || proxies != nil || limits != nil }

    /// Returns the header fields that every answer of the server has if pages of these origins may
    /// use the server.
    package static func commonFields(allowing origins: [String]) -> HTTPFields {
        HTTPFields(
            [
                ("X-Content-Type-Options", "nosniff"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ] + (origins.isEmpty ? [] : [("Vary", "Origin")])
        )
    }

    /// Finds the client's address, and adds the header fields for the client's page.
    package func prepare(_ request: HTTPExchange) {
        if let client = proxies?.forwardedClient(of: request) { request.client = client }
        crossOrigin?.addFields(to: request)
    }

    /// True if the client's connection to a trusted proxy used TLS, according to the proxy. Call
    /// this function on the event loop's thread, before the request is suspended.
    package func isOverTLS(_ request: HTTPExchange) -> Bool { proxies?.isOverTLS(request) == true }

    /// True if a request is a preflight for a page of an allowed origin.
    package func isPreflight(_ request: HTTPExchange) -> Bool {
        request.method == .options && crossOrigin?.isPreflight(request) == true
    }

    /// Counts a request for the client's address. Call this function before the sender is
    /// identified.
    ///
    /// - Throws: 429 if the share of the address is empty.
    package func countForAddress(_ request: HTTPExchange) throws(Problem) {
        try limits?.take(.requests, of: request)
    }

    /// Counts a request for its principal.
    ///
    /// - Throws: 429 if the share of the principal is empty.
    package func countForPrincipal(_ request: HTTPExchange, _ sender: Identity?) throws(Problem) {
        guard let limits, let key = sender?.rateKey else { return }
        try limits.take(.requests, by: key, of: request)
    }
}
