import StoreAdmission
import StoreHTTPTransport
import StoreMetrics
import StoreWire

/// A route in its table, with the objects that its requests use.
final class ServedRoute: Sendable {
    let route: Route
    let environment: RequestEnvironment
    let times: RouteTimes

    init(_ route: Route, in environment: RequestEnvironment) {
        self.route = route
        self.environment = environment
        times = environment.times.times(ofRoute: route.path.text, route.method.name)
    }
}

// The checks that a request has to pass before its body is read.

extension ServedRoute {
    /// Refuses a request from a page of another origin, unless the route allows the origin.
    ///
    /// - Throws: 403.
    func checkOrigin(of request: HTTPExchange, by rule: OriginRule) throws(Problem) {
        switch route.origins {
        case .all: return
        case .ownAndAllowed: try rule.check(request)
        case .ownAndAllowedByOriginField: try rule.checkOriginField(of: request)
        }
    }

    /// Refuses a body that the route does not take.
    ///
    /// - Throws: 413 for any body if the route takes no body. 415 for a compressed body, and for a
    ///   type other than JSON.
    func checkBody(of request: HTTPExchange) throws(Problem) {
        switch route.body.kind {
        case .none:
            guard !request.hasBody else { throw .bodyNotTaken(request.methodName, request.path) }
            return
        case .json:
            // A request to a link has no body; the handler later reads the action in the query.
            guard
                request.header("content-type", is: "application/json") || request.isJSON
                    || (route.takesActionInQuery && request.hasQuery)
            else { throw .unsupportedMediaType() }
        case .optionalJSON:
            guard !request.hasHeader("content-type") || request.isJSON else {
                throw .unsupportedMediaType()
            }
        }
        if let coding = request.header("content-encoding"), coding.lowercased() != "identity" {
            throw .unsupportedEncoding(coding)
        }
    }
}

extension HTTPExchange {
    var isJSON: Bool { header("content-type").map(MediaType.isJSON) == true }
}
