import HTTPTransport
import Synchronization
import Texts
import Wire

/// What a request has to pass before its body is read.
protocol RequestFilter: Sendable {
    /// - Throws: what the client is answered.
    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem)
}

/// 503 while the server stops, but for what is served to the end.
final class DrainFilter: RequestFilter {
    private let isDraining = Atomic(false)

    /// From now on requests are refused.
    func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        guard isDraining.load(ordering: .relaxed), !served.route.isServedDuringDrain else { return }
        throw .draining()
    }
}

/// 403 for what a page of another origin sends from a browser, where the route does not take it.
///
/// A server on loopback is within reach of every page that is open on the machine, and a browser
/// sends a POST without a body, and so without a type, wherever a page likes.
struct OriginFilter: RequestFilter {
    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        guard served.route.origins == .own else { return }
        try Self.requireOwn(request)
    }

    /// - Throws: 403 for what a page of another origin sends: one that `Origin` names, or of which
    ///   a browser says so in `Sec-Fetch-Site` (Fetch Metadata).
    static func requireOwn(_ request: HTTPExchange) throws(Problem) {
        let site = request.header("sec-fetch-site")?.lowercasedASCII
        let isOwnSite = site.map { ["same-origin", "none"].contains(exactly: $0) } ?? true
        if isOwnSite {
            guard let origin = request.header("origin")?.lowercasedASCII else { return }
            let host = (request.host ?? "").lowercasedASCII
            if ["http://\(host)", "https://\(host)"].contains(exactly: origin) { return }
        }
        throw .forbidden(
            "This does nothing for pages of another origin than its own. "
                + "Ask without a browser, for instance with curl."
        )
    }
}

/// 415 for a body that is not said to be JSON, where the route takes JSON, or that is compressed.
struct MediaTypeFilter: RequestFilter {
    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        switch served.bodyKind {
        case .none: return
        case .json:
            // What a link asks for has no body; whether it is one, its query says, which is read
            // later.
            guard
                request.header("content-type", is: "application/json") || request.isJSON
                    || (served.route.takesLinks && request.hasQuery)
            else { throw .unsupportedMediaType() }
        case .optionalJSON:
            guard !request.has("content-type") || request.isJSON else {
                throw .unsupportedMediaType()
            }
        }
        if let coding = request.header("content-encoding"), coding.lowercased() != "identity" {
            throw .unsupportedEncoding(coding)
        }
    }
}

extension HTTPExchange {
    /// Whether the body is said to be JSON.
    var isJSON: Bool { header("content-type").map(MediaType.isJSON) == true }
}
