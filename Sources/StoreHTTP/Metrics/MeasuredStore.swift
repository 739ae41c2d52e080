import HTTPTransport
import StoreCore
import Synchronization
package import Telemetry

/// What is measured of a store.
package struct MeasuredStore: Sendable {
    let store: Store
    fileprivate let times: ServerTimes
    /// The store's name, where others are in the process.
    private let label: String?

    package init(_ store: Store, _ times: ServerTimes, label: String?) {
        self.store = store
        self.times = times
        self.label = label
    }

    fileprivate var labels: MetricsText.Labels { label.map { ["store": $0] } ?? [:] }

    fileprivate func labels(_ name: String, _ value: String) -> MetricsText.Labels {
        label.map { ["store": $0, name: value] } ?? [name: value]
    }
}

extension [MeasuredStore] {
    func writeActions(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_version",
            "The version of the published state.",
            map { ($0.labels, $0.store.reader.version) }
        )
        metrics.counter(
            "store_mailbox_refused_total",
            "Actions that the mailbox did not take because it was full.",
            map { ($0.labels, $0.store.core.mailboxRefusedTotal) }
        )
        metrics.counter(
            "store_actions_dropped_total",
            "Actions of the program's own that were not applied; the log says why.",
            map { ($0.labels, $0.store.core.droppedTotal) }
        )
        metrics.histogram(
            "store_reduce_seconds",
            "How long reducing an action took.",
            by: "type",
            map { ($0.labels, $0.times.reducing) }
        )
        let effectful = compactMap { store in store.store.core.effects.map { (store, $0) } }
        guard !effectful.isEmpty else { return }
        metrics.gauge(
            "store_effects_running",
            "Effects that run.",
            effectful.map { ($0.labels, UInt64($1.runningCount)) }
        )
        metrics.gauge(
            "store_effects_running_max",
            "The most effects that ran at the same time since the start.",
            effectful.map { ($0.0.labels, UInt64($0.0.times.effects.runningMax)) }
        )
        metrics.effects(
            durations: (
                "store_effect_seconds",
                "How long an effect took, its retries and pauses included."
            ),
            running: ("store_effect_running", "Effects of the kind that run."),
            runningMax: (
                "store_effect_running_max",
                "The most effects of the kind that ran at the same time since the start."
            ),
            effectful.map { ($0.0.labels, $0.0.times.effects) }
        )
    }

    func writeStreams(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_streams_open",
            "Streams that are open.",
            map { ($0.labels, UInt64($0.store.streams.open)) }
        )
        metrics.counter(
            "store_streams_opened_total",
            "Streams that were opened.",
            map { ($0.labels, $0.store.streams.counters.adopted.load(ordering: .relaxed)) }
        )
        metrics.counter(
            "store_streams_refused_total",
            "Streams refused because all places were taken.",
            map { ($0.labels, $0.store.streams.counters.refused.load(ordering: .relaxed)) }
        )
        metrics.counter(
            "store_streams_closed_total",
            "Streams that ended, by what ended them.",
            flatMap { store in
                let streams = store.store.streams.counters
                return [
                    (store.labels("by", "peer"), streams.closedByPeer.load(ordering: .relaxed)),
                    (store.labels("by", "slow"), streams.closedSlow.load(ordering: .relaxed)),
                    (store.labels("by", "server"), streams.closedByServer.load(ordering: .relaxed)),
                ]
            }
        )
        metrics.counter(
            "store_streams_shed_total",
            "Streams of slow readers that were ended because memory was scarce.",
            map { ($0.labels, $0.store.streams.counters.shed.load(ordering: .relaxed)) }
        )
        metrics.counter(
            "store_streams_refused_for_memory_total",
            "Streams refused because memory was scarce.",
            map {
                ($0.labels, $0.store.streams.counters.refusedForMemory.load(ordering: .relaxed))
            }
        )
        metrics.counter(
            "store_stream_frames_total",
            "Frames sent whole.",
            map { ($0.labels, $0.store.streams.counters.frames.load(ordering: .relaxed)) }
        )
        metrics.counter(
            "store_stream_frames_skipped_total",
            "Frames left out because newer ones came first.",
            map { ($0.labels, $0.store.streams.counters.conflated.load(ordering: .relaxed)) }
        )
        metrics.counter(
            "store_stream_commands_dropped_total",
            "Commands to screens that were not sent: the reader was behind, or too many waited.",
            map { ($0.labels, $0.store.streams.counters.commandsDropped.load(ordering: .relaxed)) }
        )
    }
}

/// How long what the server does takes.
package struct ServerTimes: Sendable {
    /// Reducing, by the wire name of the action.
    package let reducing = Durations()
    /// Effects, by their module and the action that they follow.
    package let effects = EffectTimes()

    package init() {}
}
