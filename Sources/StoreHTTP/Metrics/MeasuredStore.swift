import StoreCore
import StoreTelemetry

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
