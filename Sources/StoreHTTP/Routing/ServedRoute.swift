import StoreAuthorization
import StoreHTTPTransport
import StoreWire

/// A route in its table, with the values that every request reads.
final class ServedRoute: Sendable {
    enum BodyKind {
        case none, json, optionalJSON
    }

    let route: Route
    let environment: RequestEnvironment
    let bodyKind: BodyKind
    let times: RouteTimes

    init(_ route: Route, in environment: RequestEnvironment) {
        self.route = route
        self.environment = environment
        times = environment.times.times(of: route)
        bodyKind =
            switch route.body {
            case .none: .none
            case .json: .json
            case .optionalJSON: .optionalJSON
            }
    }

    /// Returns the access that a request needs from the sender's role.
    func need(of request: HTTPExchange) throws(Problem) -> RouteNeed {
        try route.access.need(of: request, at: route.path)
    }

    /// Returns the query of a request; `nil` if it has none.
    func query(of request: HTTPExchange) throws(Problem) -> Query? {
        guard request.hasQuery else { return nil }
        return try Query(request.query ?? "", allowed: route.parameters)
    }

    /// Lends the rest of the path behind its fixed part, still encoded, with the slash before it.
    func withRest<R>(
        of request: HTTPExchange,
        _ body: (UnsafeRawBufferPointer) -> R?
    ) -> R? {
        var found: R?
        _ = request.withNormalizedPath { path in
            route.path.match(path) { value in
                found = body(value)
                return true
            }
        }
        return found
    }
}
