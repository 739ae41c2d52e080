package import StoreHTTPTransport
import StoreWire

/// What the operator has set for the web around the server: which pages may use it, which proxies
/// are believed, how much a client may ask for. The stores of a process share it.
package final class WebRules: Sendable {
    /// Which pages may change something and open streams.
    let origins: OriginRule
    /// What pages of other origins are answered beside; `nil` where there are none.
    let crossOrigin: CrossOrigin?
    /// The proxies that are believed; `nil` where there are none.
    private let proxies: TrustedProxies?
    /// How much each client may ask for; `nil` where that has no bounds.
    let limits: RateLimits?

    /// Rules for the pages of these serialized origins, which may use the server as its own may.
    package init(
        origins: [String] = [],
        proxies: TrustedProxies? = nil,
        limits: RateLimits? = nil
    ) {
        self.origins = OriginRule(origins)
        crossOrigin = origins.isEmpty ? nil : CrossOrigin(origins)
        self.proxies = proxies
        self.limits = limits
    }

    /// Whether requests have to be looked at one by one.
    var concernsEveryRequest: Bool { crossOrigin != nil || proxies != nil || limits != nil }

    /// The header fields of all answers, where pages of these origins may use the server.
    package static func commonFields(allowing origins: [String]) -> HTTPFields {
        HTTPFields(
            [
                ("X-Content-Type-Options", "nosniff"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ] + (origins.isEmpty ? [] : [("Vary", "Origin")])
        )
    }

    /// Finds out where the client is, and adds what its page has to be answered.
    func begin(_ request: HTTPExchange) {
        if let client = proxies?.client(of: request) { request.client = client }
        crossOrigin?.answer(request)
    }

    /// Whether a client has come over TLS, as a proxy that is believed says. On the loop's thread,
    /// before the request is put off.
    func isOverTLS(_ request: HTTPExchange) -> Bool { proxies?.isOverTLS(request) == true }

    /// Whether a request asks, for a page of an allowed origin, what this page may send.
    func isPreflight(_ request: HTTPExchange) -> Bool {
        request.verb == .options && crossOrigin?.isAsked(by: request) == true
    }

    /// Counts a request for its address, before it is known who sends it.
    ///
    /// - Throws: 429 where there were too many.
    func count(_ request: HTTPExchange) throws(Problem) {
        try limits?.take(.requests, of: request)
    }

    /// Counts a request for its principal.
    ///
    /// - Throws: 429 where there were too many.
    func count(_ request: HTTPExchange, for sender: Identity?) throws(Problem) {
        guard let limits, let key = sender?.rateKey else { return }
        try limits.take(.requests, by: key, of: request)
    }
}
