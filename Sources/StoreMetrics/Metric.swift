import StoreCore
import StorePlatform
import Synchronization

/// A metric of `/metrics`: its name, its help text, and the function that reads its values.
struct Metric: Sendable {
    let name: String
    let help: String
    /// The kind, which follows from the end of the name and the type of the values.
    let kind: MetricKind
    /// Returns the values; `nil` if the server does not have the metric.
    private let values: @Sendable (Measurements) -> Values<any MetricValue>?

    /// Values of a metric, each with its labels.
    typealias Values<Value> = [(MetricLabels, Value)]

    /// The metrics in the order of the text.
    static let all =
        actions + effects + streams + journal + requests + connections + exportsAndRateLimits + log
        + processFigures

    init<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ values: @escaping @Sendable (Measurements) -> Values<Value>?
    ) {
        self.name = name
        self.help = help
        if name.hasSuffix("_total") {
            kind = .counter
        } else if name.hasSuffix("_info") {
            kind = .info
        } else {
            kind = Value.self == Distribution.self ? .histogram : .gauge
        }
        self.values = { values($0)?.map { ($0, $1) } }
    }

    /// Writes the metric with its present values, if the server has the metric.
    func write(_ measurements: Measurements, to text: inout MetricsWriter) {
        if let values = values(measurements) { text.write(kind, name, help, values) }
    }
}

// Values of stores

extension Metric {
    /// Makes a metric with at most one value of each store.
    static func perStore<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (MeasuredStore) -> Value?
    ) -> Metric {
        Metric(name, help) { measurements in
            measurements.stores.compactMap { store in value(store).map { (store.labels, $0) } }
        }
    }

    /// Makes a metric with values of each store, followed by values of the process. Each value has
    /// its own labels.
    static func valuesPerStore<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ values: @escaping @Sendable (MeasuredStore) -> Values<Value>,
        process: @escaping @Sendable (MeasuredProcess) -> Values<Value> = { _ in [] }
    ) -> Metric {
        Metric(name, help) { measurements in
            measurements.stores.flatMap { $0.labelled(values($0)) }
                + (measurements.process.map(process) ?? [])
        }
    }

    /// Makes a metric with values of each store, followed by values of the process. Each value has
    /// its own text for the label.
    static func valuesPerStore<Value: MetricValue>(
        _ name: String,
        _ help: String,
        by label: String,
        _ values: @escaping @Sendable (MeasuredStore) -> [(String, Value)],
        process: @escaping @Sendable (MeasuredProcess) -> [(String, Value)] = { _ in [] }
    ) -> Metric {
        valuesPerStore(name, help) {
            values($0).map { ([label: $0], $1) }
        } process: {
            process($0).map { ([label: $0], $1) }
        }
    }

    /// Makes a metric with the values of each type of action.
    static func perActionType<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ values: @escaping @Sendable (CoreFigures.ActionFigures) -> Values<Value>
    ) -> Metric {
        Metric(name, help) { $0.actions.flatMap { $0.labelled(values($1)) } }
    }

    /// Makes a metric with a value of each store that has effects. Only states that are made of
    /// modules have effects.
    static func perStoreWithEffects<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (MeasuredStore, EffectRunner) -> Value
    ) -> Metric {
        Metric(name, help) { measurements in
            let values = measurements.stores.compactMap { store in
                store.store.engine.effects.map { (store.labels, value(store, $0)) }
            }
            return values.isEmpty ? nil : values
        }
    }

    /// Makes a metric with a value of each kind of effect.
    static func perEffectKind<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (EffectTimes.Series) -> Value
    ) -> Metric {
        Metric(name, help) { $0.effects?.map { ($0.labels, value($0.series)) } }
    }
}

// Values of the process

extension Metric {
    /// Makes a metric with a value of the process. The server does not have the metric if the value
    /// is `nil`.
    static func ofProcess<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (MeasuredProcess) -> Value?
    ) -> Metric {
        Metric(name, help) { $0.process.flatMap(value).map { [([:], $0)] } }
    }

    /// Makes a metric with several values of the process. Each value has its own text for the
    /// label. The server does not have the metric if `values` returns `nil`.
    static func ofProcess<Value: MetricValue>(
        _ name: String,
        _ help: String,
        by label: String,
        _ values: @escaping @Sendable (MeasuredProcess) -> [(String, Value)]?
    ) -> Metric {
        Metric(name, help) { $0.process.flatMap(values)?.map { ([label: $0], $1) } }
    }

    /// Makes a metric with a figure that the system reports about the process. The metric has no
    /// value if the system does not report the figure.
    static func ofProcessFigures<Value: MetricValue>(
        _ name: String,
        _ help: String,
        _ value: @escaping @Sendable (ProcessFigures) -> Value?
    ) -> Metric {
        Metric(name, help) {
            $0.processFigures.map { [value($0)].compactMap(\.self).map { ([:], $0) } }
        }
    }
}

extension Atomic where Value == UInt64 {
    /// The present count.
    var currentCount: UInt64 { load(ordering: .relaxed) }
}
