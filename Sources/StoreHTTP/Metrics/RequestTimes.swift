import StoreHTTPTransport
import StorePlatform
import Synchronization

/// The times that requests take, for each route of a store. The number of series is bounded by the
/// routes, because paths from clients make none.
package final class RequestTimes: Sendable {
    /// The requests of a route.
    struct Series: Sendable {
        let method: String
        /// The route's pattern: `/modules/{name}`.
        let route: String
        let times: RouteTimes
    }

    private let series = Locked<[Series]>([])

    package init() {}

    /// Returns the histogram of a route; the same object for the same route. Called while a store
    /// is assembled.
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

    /// All series, in the order in which their routes were added.
    var all: [Series] { series.withLock { $0 } }
}
