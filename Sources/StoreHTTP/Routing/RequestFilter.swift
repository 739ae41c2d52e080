import StoreAdmission
import StoreHTTPTransport
import StoreWire
import Synchronization

/// A check that a request has to pass before its body is read.
protocol RequestFilter: Sendable {
    /// Checks a request for its route.
    ///
    /// - Throws: the problem that the client is answered with.
    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem)
}

/// Refuses requests with 503 while the server stops, except on routes that stay available to the
/// end.
final class DrainFilter: RequestFilter {
    private let isDraining = Atomic(false)

    /// Refuses requests from now on.
    func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        guard isDraining.load(ordering: .relaxed), !served.route.isServedDuringDrain else { return }
        throw .draining()
    }
}

/// Refuses with 403 a request from a page of another origin, if the route does not allow it.
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

/// Refuses with 413 a body that the route does not take. Refuses with 415 a body that is
/// compressed, or whose type is not JSON although the route takes JSON.
struct MediaTypeFilter: RequestFilter {
    func check(_ request: HTTPExchange, for served: ServedRoute) throws(Problem) {
        switch served.bodyKind {
        case .none:
            guard !request.hasBody else { throw .bodyNotTaken(request.method, request.path) }
            return
        case .json:
            // A request for a link has no body. Its query has the link, and the handler reads the
            // query later.
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
    /// True if the type of the body is JSON.
    var isJSON: Bool { header("content-type").map(MediaType.isJSON) == true }
}
