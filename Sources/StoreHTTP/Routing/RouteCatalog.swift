import HTTPTransport
import Platform
import Synchronization
import Wire

/// All routes that are served, as the description of the API and the page at `/` show them.
package final class RouteCatalog: Sendable {
    /// The routes as their groups declare them, in the order of the groups.
    package let given: [Route]
    /// The same with the `HEAD` of each that is read.
    package let routes: [Route]
    /// The descriptions that have been made: of what clients are served, and operators.
    private let descriptions = Locked<[Bool: Bytes]>([:])

    package init(_ groups: [any RouteGroup]) {
        given = groups.flatMap(\.routes)
        routes = given.flatMap { $0.hasHead ? [$0, $0.head] : [$0] }
    }

    /// Those that are served where a request came in.
    func routes(for request: RequestContext) -> [Route] {
        guard request.environment.separatesOperators else { return routes }
        return routes.filter { $0.audience.isServed(toOperators: request.exchange.isAdmin) }
    }

    /// The description of the API where a request came in: made by the first such request.
    func described(for request: RequestContext, by make: ([Route]) -> Bytes) -> Bytes {
        let routes = routes(for: request)
        return descriptions.withLock { descriptions in
            if let known = descriptions[request.exchange.isAdmin] { return known }
            let made = make(routes)
            descriptions[request.exchange.isAdmin] = made
            return made
        }
    }
}
