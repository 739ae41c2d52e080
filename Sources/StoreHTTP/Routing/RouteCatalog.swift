import StoreHTTPTransport
import StorePlatform
import StoreWire
import Synchronization

/// All routes that are served, as the description of the API and the page at `/` show them.
package final class RouteCatalog: Sendable {
    /// The routes as their groups declare them, in the order of the groups.
    package let given: [Route]
    /// The same with the `HEAD` of each that is read.
    package let routes: [Route]
    /// A description, and what those who show nothing may do by it.
    private struct Description: Sendable {
        let document: Bytes
        let anonymous: Identity?
    }

    /// The descriptions that have been made: of what clients are served, and operators.
    private let descriptions = Locked<[Bool: Description]>([:])

    package init(_ groups: [any RouteGroup]) {
        given = groups.flatMap(\.routes)
        routes = given.flatMap { $0.hasHead ? [$0, $0.head] : [$0] }
    }

    /// Those that are served where a request came in.
    func routes(for request: RequestContext) -> [Route] {
        guard request.environment.separatesOperators else { return routes }
        return routes.filter { $0.audience.isServed(toOperators: request.exchange.isAdmin) }
    }

    /// The description of the API where a request came in: made by the first such request, and
    /// again under another policy.
    func described(
        for request: RequestContext,
        by make: ([OpenAPI.Operation]) -> Bytes
    ) -> Bytes {
        let routes = routes(for: request)
        let anonymous = request.environment.access?.anonymous
        return descriptions.withLock { descriptions in
            if let known = descriptions[request.exchange.isAdmin], known.anonymous === anonymous {
                return known.document
            }
            let made = make(routes.map { $0.operation(anonymous: anonymous) })
            descriptions[request.exchange.isAdmin] = Description(
                document: made,
                anonymous: anonymous
            )
            return made
        }
    }
}
