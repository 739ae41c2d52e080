package import StoreAdmission
import StoreCore
package import StoreHTTPTransport
package import StoreTelemetry
package import StoreTraces

/// The objects from which one answer of `/metrics` is made. A value that several metrics use is
/// read only once.
package struct Measurements {
    let stores: [MeasuredStore]
    /// The measurements of the process; `nil` if the metrics are only about a named store.
    let process: MeasuredProcess?
    /// The figures of each type of action, for all stores.
    let actions: [(store: MeasuredStore, action: CoreFigures.ActionFigures)]
    /// The figures of each kind of effect; `nil` if no store has effects.
    let effects: [(labels: MetricLabels, series: EffectTimes.Series)]?
    /// The figures that the system reports about the process; `nil` if ``process`` is `nil`.
    let processFigures: ProcessFigures?

    package init(_ stores: [MeasuredStore], _ process: MeasuredProcess?) {
        self.stores = stores
        self.process = process
        actions = stores.flatMap { store in store.figures.core.actionFigures.map { (store, $0) } }
        let withEffects = stores.filter { $0.store.engine.effects != nil }
        let kinds = withEffects.flatMap { $0.figures.effects.labelledSeries($0.labels) }
        effects = withEffects.isEmpty ? nil : kinds
        processFigures = process == nil ? nil : ProcessFigures()
    }

    /// Returns the text of all metrics.
    package func text(_ format: MetricsFormat) -> String {
        var text = MetricsWriter(format)
        for metric in Metric.all { metric.write(self, to: &text) }
        return text.text
    }
}

extension EffectTimes {
    /// Returns the figures of each kind, with the labels of a store before the kind's labels.
    func labelledSeries(_ labels: MetricLabels) -> [(labels: MetricLabels, series: Series)] {
        allSeries.map { kind, series in
            let own: MetricLabels = ["module": kind.module.text, "action": kind.action.text]
            return (labels.adding(own), series)
        }
    }
}

/// The measurements of the process, without the measurements of its stores.
package struct MeasuredProcess: Sendable {
    let transport: TransportCounters
    /// The writer of analytics lines; `nil` if analytics are off.
    let analytics: AnalyticsWriter?
    /// The tracer of spans; `nil` if no traces are exported.
    let tracer: Tracer?
    /// The numbers of requests that rate limits have refused; `nil` if there are no limits.
    let rateRefusalCounts: RateRefusalCounts?
    let logCounts: LogCounts
    /// The versions of the program and of its libraries.
    let versionLabels: MetricLabels

    package init(
        _ transport: TransportCounters,
        _ analytics: AnalyticsWriter?,
        _ web: WebRules = WebRules(),
        log: LogCounts,
        tracer: Tracer? = nil,
        versionLabels: MetricLabels
    ) {
        self.transport = transport
        self.analytics = analytics
        self.tracer = tracer
        rateRefusalCounts = web.limits?.refusalCounts
        self.logCounts = log
        self.versionLabels = versionLabels
    }
}
