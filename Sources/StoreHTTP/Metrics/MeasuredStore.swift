import StoreCore
import StoreTelemetry

/// What is measured of a store.
package struct MeasuredStore: Sendable {
    let store: Store
    let figures: StoreFigures
    /// Whether its journal has failed for good.
    let hasFailed: @Sendable () -> Bool
    /// The store's name, where others are in the process.
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

    /// The labels of one value of the store's: its own, behind the name of the store.
    func labels(_ own: MetricLabels) -> MetricLabels { labels.adding(own) }
}

extension [MeasuredStore] {
    /// One value of each store.
    func each<Value>(_ value: (MeasuredStore) -> Value) -> [MetricsText.Sample<Value>] {
        map { .init($0.labels, value($0)) }
    }

    /// One value of each store that has it.
    func eachWith<Value>(_ value: (MeasuredStore) -> Value?) -> [MetricsText.Sample<Value>] {
        compactMap { store in value(store).map { .init(store.labels, $0) } }
    }

    /// Several values of each store, each with labels of its own.
    func all<Value>(
        _ values: (MeasuredStore) -> [MetricsText.Sample<Value>]
    ) -> [MetricsText.Sample<Value>] {
        flatMap { store in
            values(store).map { .init(store.labels($0.labels), $0.value) }
        }
    }
}
