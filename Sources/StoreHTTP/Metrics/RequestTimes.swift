import StoreHTTPTransport
import StorePlatform
import Synchronization

/// How long the requests of a store's routes took. There are as many series as routes: a path that
/// a client sends is none of them.
package final class RequestTimes: Sendable {
    /// The requests of one route.
    struct Series: Sendable {
        let method: String
        /// The route's pattern: `/modules/{name}`.
        let route: String
        let times: RouteTimes
    }

    private let series = Locked<[Series]>([])

    package init() {}

    /// Where the requests of a route are measured; the same for the same route. Called when a store
    /// is put together.
    func times(of route: Route) -> RouteTimes {
        let (method, path) = (route.method.name, route.path.text)
        return series.withLock { series in
            if let known = series.first(where: { $0.method == method && $0.route == path }) {
                return known.times
            }
            let new = Series(method: method, route: path, times: RouteTimes())
            series.append(new)
            return new.times
        }
    }

    /// All routes, in the order of their table.
    var all: [Series] { series.withLock { $0 } }
}
