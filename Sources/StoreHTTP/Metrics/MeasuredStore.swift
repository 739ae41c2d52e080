package import StoreCore
import StoreHTTPTransport
package import StoreHistory
import StorePlatform
package import StorePublishing
package import StoreTelemetry
import Synchronization

/// The measurements of a store.
package struct MeasuredStore: Sendable {
    let store: Store
    let figures: StoreFigures
    /// True if its journal has failed for good.
    let hasFailed: @Sendable () -> Bool
    /// The name of the store in labels; `nil` if it is the only store of the process.
    private let label: String?

    package init(
        _ store: Store,
        _ figures: StoreFigures,
        label: String?,
        hasFailed: @escaping @Sendable () -> Bool
    ) {
        self.store = store
        self.figures = figures
        self.label = label
        self.hasFailed = hasFailed
    }

    var labels: MetricLabels { label.map { ["store": $0] } ?? [:] }

    /// Returns the labels of a value: the store's name, and then `own`.
    func labels(_ own: MetricLabels) -> MetricLabels { labels.adding(own) }
}

extension [MeasuredStore] {
    /// Makes a value for each store.
    func each<Value>(_ value: (MeasuredStore) -> Value) -> [MetricsText.Sample<Value>] {
        map { .init($0.labels, value($0)) }
    }

    /// Makes a value for each store that has it.
    func eachWith<Value>(_ value: (MeasuredStore) -> Value?) -> [MetricsText.Sample<Value>] {
        compactMap { store in value(store).map { .init(store.labels, $0) } }
    }

    /// Makes several values for each store, each with labels of its own.
    func all<Value>(
        _ values: (MeasuredStore) -> [MetricsText.Sample<Value>]
    ) -> [MetricsText.Sample<Value>] {
        flatMap { store in
            values(store).map { .init(store.labels($0.labels), $0.value) }
        }
    }
}

/// The objects that measure a store, besides the counters of its parts.
package struct StoreFigures: Sendable {
    /// The figures of the Core.
    package let core: CoreFigures
    /// The times of effects, by their module and the action that they follow.
    package let effects = EffectTimes()
    /// The times of requests, by route.
    package let requests = RequestTimes()
    /// The counters of requests that a policy denied.
    let denials: PolicyDenials
    /// The open streams of the policy's roles; `nil` if there is no policy.
    let roleStreams: RoleStreams?
    let journal: any Journal
    let keeper: SnapshotKeeper
    /// The times of encoding the state.
    let encoding: EncodeTimes
    /// The operator's bounds on the history; `nil` if the program brings its own journal.
    let retention: Retention?

    package init(
        _ core: CoreFigures,
        of journal: any Journal,
        _ keeper: SnapshotKeeper,
        encoding: EncodeTimes,
        _ retention: Retention?,
        access: AccessControl?
    ) {
        denials = access?.denials ?? PolicyDenials()
        roleStreams = access?.streams
        self.core = core
        self.journal = journal
        self.keeper = keeper
        self.encoding = encoding
        self.retention = retention
    }
}

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

    /// The series, in the order in which their routes were added.
    var all: [Series] { series.withLock { $0 } }
}
