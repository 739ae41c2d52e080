import Platform
import Synchronization
import Wire

/// All routes that are served, as the description of the API and the page at `/` show them.
package final class RouteCatalog: Sendable {
    /// The routes as their groups declare them, in the order of the groups.
    package let given: [Route]
    /// The same with the `HEAD` of each that is read.
    package let routes: [Route]
    private let description = Locked<Bytes?>(nil)

    package init(_ groups: [any RouteGroup]) {
        given = groups.flatMap(\.routes)
        routes = given.flatMap { $0.hasHead ? [$0, $0.head] : [$0] }
    }

    /// The description of the API: made by the first caller.
    func described(by make: () -> Bytes) -> Bytes {
        description.withLock { description in
            if let description { return description }
            let made = make()
            description = made
            return made
        }
    }
}
