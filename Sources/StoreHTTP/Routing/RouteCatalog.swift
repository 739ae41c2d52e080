import StoreAdmission
import StoreHTTPTransport
import StoreJSON
import StorePlatform
import StoreWire
import Synchronization

/// All routes of a store, as the description of the API and the page at `/` show them.
package final class RouteCatalog: Sendable {
    /// The routes as their groups declare them, in the order of the groups.
    package let declaredRoutes: [Route]
    /// The same routes, with a `HEAD` for each route that reads.
    package let routesWithHead: [Route]
    /// The cached descriptions, each with the anonymous identity that it was made for. The key is
    /// `false` for the listeners of clients, `true` for the listeners of operators.
    private let descriptionsByIsForOperators = Locked<
        [Bool: (document: Bytes, anonymous: Identity?)]
    >([:])

    package init(_ groups: [any RouteGroup]) {
        declaredRoutes = groups.flatMap(\.routes)
        routesWithHead = declaredRoutes.flatMap { $0.hasHead ? [$0, $0.headRoute] : [$0] }
    }

    /// Returns the routes that are served at the listener of a request.
    func routes(for request: RequestContext) -> [Route] {
        guard request.environment.hasOperatorListeners else { return routesWithHead }
        return routesWithHead.filter { $0.audience.isServed(toOperators: request.exchange.isAdmin) }
    }

    /// Returns the description of the API for the listener of a request. The first request at a
    /// listener makes the description, and so does the first request after a change of the policy.
    func description(for request: RequestContext, by make: ([OpenAPI.Operation]) -> Bytes) -> Bytes
    {
        let routes = routes(for: request)
        let anonymous = request.environment.access?.anonymous
        let listener = request.exchange.isAdmin
        if let known = descriptionsByIsForOperators.withLock({ $0[listener] }),
            known.anonymous === anonymous
        {
            return known.document
        }
        // Make the description without the lock, because the caller's closure `make` may take long
        // or use this object.
        let made = make(routes.map { $0.operation(anonymous: anonymous) })
        descriptionsByIsForOperators.withLock { $0[listener] = (made, anonymous) }
        return made
    }
}
