import StoreCore
import StorePlatform

/// A metric of `/metrics`: its name, its kind, its help text, and the function that reads its
/// values.
struct Metric: Sendable {
    let kind: MetricKind
    let name: String
    let help: String
    private let reading: Reading

    /// The metrics in the order of the text.
    static let all =
        actions + effects + streams + journal + requests + connections + exports + log + system

    static func counter(_ name: String, _ help: String, _ reading: Reading) -> Metric {
        Metric(kind: .counter, name: name, help: help, reading: reading)
    }

    static func gauge(_ name: String, _ help: String, _ reading: Reading) -> Metric {
        Metric(kind: .gauge, name: name, help: help, reading: reading)
    }

    static func info(_ name: String, _ help: String, _ reading: Reading) -> Metric {
        Metric(kind: .info, name: name, help: help, reading: reading)
    }

    static func histogram(_ name: String, _ help: String, _ reading: Reading) -> Metric {
        Metric(kind: .histogram, name: name, help: help, reading: reading)
    }

    /// Writes the metric with its present values, unless the server does not have it.
    func write(_ measurements: Measurements, to text: inout MetricsText) {
        guard let samples = reading.samples(measurements) else { return }
        text.write(kind, name, help, samples)
    }
}

extension Metric {
    /// The way to read the values of a metric.
    struct Reading: Sendable {
        /// Returns the values; `nil` if the server does not have the metric.
        let samples: @Sendable (Measurements) -> [MetricSample]?
    }
}

// Values of stores

extension Metric.Reading {
    /// Reads a value of each store that has it.
    static func each<Value: MetricValue>(
        _ value: @escaping @Sendable (MeasuredStore) -> Value?
    ) -> Self {
        Self { measurements in
            measurements.stores.compactMap { store in
                value(store).map { MetricSample(store.labels, $0) }
            }
        }
    }

    /// Reads several values of each store, each with labels of its own.
    static func all(_ values: @escaping @Sendable (MeasuredStore) -> [MetricSample]) -> Self {
        Self { measurements in
            measurements.stores.flatMap { store in values(store).map(store.labelled) }
        }
    }

    /// Reads several values of each store, and then values of the process.
    static func all(
        _ values: @escaping @Sendable (MeasuredStore) -> [MetricSample],
        process: @escaping @Sendable (MeasuredProcess) -> [MetricSample]
    ) -> Self {
        let ofStores = all(values)
        return Self { measurements in
            (ofStores.samples(measurements) ?? []) + (measurements.process.map(process) ?? [])
        }
    }

    /// Reads the values of each type of action.
    static func actions(
        _ values: @escaping @Sendable (CoreFigures.ActionFigures) -> [MetricSample]
    ) -> Self {
        Self { measurements in
            measurements.actions.flatMap { store, action in values(action).map(store.labelled) }
        }
    }

    /// Reads a value of each store with effects. Only states that are made of modules have them.
    static func effects<Value: MetricValue>(
        _ value: @escaping @Sendable (MeasuredStore, EffectRunner) -> Value
    ) -> Self {
        Self { measurements in
            let stores = measurements.stores.compactMap { measured in
                measured.store.core.effects.map {
                    MetricSample(measured.labels, value(measured, $0))
                }
            }
            return stores.isEmpty ? nil : stores
        }
    }

    /// Reads a value of each kind of effect.
    static func effectKinds<Value: MetricValue>(
        _ value: @escaping @Sendable (EffectTimes.Series) -> Value
    ) -> Self {
        Self { measurements in
            measurements.effects?.map { MetricSample($0.labels, value($0.series)) }
        }
    }
}

// Values of the process

extension Metric.Reading {
    /// Reads a value of the process.
    static func process<Value: MetricValue>(
        _ value: @escaping @Sendable (MeasuredProcess) -> Value
    ) -> Self {
        Self { measurements in measurements.process.map { [MetricSample(value($0))] } }
    }

    /// Reads several values of a part of the process, each with labels of its own. `part` returns
    /// `nil` if the process does not have the part.
    static func part<Part>(
        _ part: @escaping @Sendable (MeasuredProcess) -> Part?,
        _ values: @escaping @Sendable (Part) -> [MetricSample]
    ) -> Self {
        Self { measurements in measurements.process.flatMap(part).map(values) }
    }

    /// Reads a figure of the system about the process. A figure that the system does not report
    /// has no value.
    static func system<Value: MetricValue>(
        _ value: @escaping @Sendable (ProcessFigures) -> Value?
    ) -> Self {
        Self { measurements in
            measurements.system.map { system in value(system).map { [MetricSample($0)] } ?? [] }
        }
    }
}
