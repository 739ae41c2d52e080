import StoreHTTPTransport
import StoreWire
import Synchronization

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
struct OriginFilter: RequestFilter {
    let rule: OriginRule

    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        switch served.route.origins {
        case .all: return
        case .own: try rule.require(request)
        case .ownWhereNamed: try rule.requireNamed(request)
        }
    }
}

/// 413 for a body that the route does not take; 415 for one that is not said to be JSON, where the
/// route takes JSON, or that is compressed.
struct MediaTypeFilter: RequestFilter {
    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        switch served.bodyKind {
        case .none:
            guard !request.hasBody else { throw .bodyNotTaken(request.method, request.path) }
            return
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
