package import StoreAdmission
package import StoreCore
package import StoreHTTPTransport
package import StoreHistory
import StorePlatform
package import StorePublishing
import Synchronization

/// The values of a store that `/metrics` reads.
package protocol MeasurableStore: AnyObject, Sendable {
    var engine: Engine { get }
    var streamWriter: StreamWriter { get }
    /// The maximum number of open streams.
    var streamsMax: Int { get }
    var epoch: String { get }
    /// The version of the published state.
    var version: UInt64 { get }
    /// The number of reads that were refused because too many reads waited.
    var refusedReadsTotal: UInt64 { get }
    /// The numbers of open sessions, and of sessions that a bound refused; `nil` if the state has
    /// no sessions.
    var sessionCounts:
        (
            open: Int, refusedWhenFull: UInt64, refusedWhenAddressFull: UInt64
        )?
    { get }
}

/// A store with its measurements.
package struct MeasuredStore: Sendable {
    let store: any MeasurableStore
    let figures: StoreFigures
    /// Returns true if the journal has failed, so that the store applies no more actions.
    let hasJournalFailed: @Sendable () -> Bool
    /// The name of the store as a label; empty if the process has no other store.
    let labels: MetricLabels

    package init(
        _ store: any MeasurableStore,
        _ figures: StoreFigures,
        label: String?,
        hasJournalFailed: @escaping @Sendable () -> Bool
    ) {
        self.store = store
        self.figures = figures
        self.hasJournalFailed = hasJournalFailed
        labels = label.map { ["store": $0] } ?? [:]
    }

    /// Returns values of the store, with the store's name before the labels of each value.
    func labelled<Value>(_ values: Metric.Values<Value>) -> Metric.Values<Value> {
        values.map { (labels.adding($0), $1) }
    }
}

/// The objects that measure a store. The Core, the streams and the sessions also have counters of
/// their own.
package struct StoreFigures: Sendable {
    package let core: CoreFigures
    /// The durations of effects, by the module and the action of each effect.
    package let effects = EffectTimes()
    /// The durations of requests, by route.
    package let requests = RequestTimes()
    /// The counters of requests that a policy denied.
    let denialCounts: PolicyDenialCounts
    /// The open streams of the policy's roles; `nil` if there is no policy.
    let roleStreamCounts: RoleStreamCounts?
    let journal: any Journal
    let keeper: SnapshotKeeper
    let encodeTimes: EncodeTimes
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
        denialCounts = access?.denialCounts ?? PolicyDenialCounts()
        roleStreamCounts = access?.streamCounts
        self.core = core
        self.journal = journal
        self.keeper = keeper
        self.encodeTimes = encoding
        self.retention = retention
    }
}

/// The durations of requests, for each route of a store. The number of series depends only on the
/// routes, and not on the paths that clients send.
package final class RequestTimes: Sendable {
    /// The durations of a route's requests.
    struct RouteSeries: Sendable {
        let method: String
        /// The route's pattern: `/modules/{name}`.
        let route: String
        let times: RouteTimes
    }

    private let series = Locked<[RouteSeries]>([])

    package init() {}

    /// Returns the histograms of a route; the same object for the same route. Call this function
    /// only while a store is assembled.
    package func times(ofRoute route: String, _ method: String) -> RouteTimes {
        series.withLock { series in
            if let known = series.first(where: { $0.method == method && $0.route == route }) {
                return known.times
            }
            let new = RouteSeries(method: method, route: route, times: RouteTimes())
            series.append(new)
            return new.times
        }
    }

    /// The series, in the order in which their routes were added.
    var allSeries: [RouteSeries] { series.withLock { $0 } }
}
