import StoreTexts

extension MetricsText {
    /// Writes the figures of effects, by `module` and `action`.
    package mutating func effects(_ effects: [(labels: MetricLabels, times: EffectTimes)]) {
        let all = effects.flatMap { labels, times in
            times.all.map { kind, series in
                let own: MetricLabels = ["module": kind.module.text, "action": kind.action.text]
                return (labels: labels.adding(own), series: series)
            }
        }
        func each<Value>(_ value: (EffectTimes.Series) -> Value) -> [Sample<Value>] {
            all.map { Sample($0.labels, value($0.series)) }
        }
        histogram(
            "store_effect_seconds",
            "Time of an effect, with its retries and pauses.",
            each(\.durations)
        )
        gauge(
            "store_effect_running",
            "Effects of the kind that run.",
            each(\.running)
        )
        gauge(
            "store_effect_running_max",
            "The most effects of the kind that ran at the same time since the start.",
            each(\.runningMax)
        )
        counter(
            "store_effects_failed_total",
            "Effects that failed for good.",
            each(\.failed)
        )
        counter(
            "store_effects_retried_total",
            "Attempts of effects after a failed attempt.",
            each(\.retried)
        )
    }
}
