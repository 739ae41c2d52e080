import StoreEventStream
import StoreHTTPTransport
import StoreTelemetry
import Synchronization

extension [MeasuredStore] {
    /// Writes the metrics of streams: their frames, their beginnings and their ends.
    func writeStreams(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_streams_open",
            "Open streams, by kind, and with a policy by role.",
            all { $0.openStreams }
        )
        metrics.gauge(
            "store_streams_max",
            "The most streams that may be open.",
            each { $0.store.bounds.streamsMax }
        )
        metrics.counter(
            "store_streams_opened_total",
            "Streams that were opened.",
            all { store in
                store.counters.byKind.map { .init(["kind": "\($0.kind)"], $0.opened) }
            }
        )
        metrics.counter(
            "store_streams_closed_total",
            "Streams that ended, by reason.",
            all { store in
                StreamEnding.allCases.map {
                    .init(["reason": $0.rawValue], store.counters.count(of: $0))
                }
            }
        )
        metrics.counter(
            "store_streams_shed_total",
            "Streams of slow readers that were ended because memory was scarce.",
            each { $0.counters.shed.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_streams_refused_for_memory_total",
            "Streams refused because memory was scarce.",
            each { $0.counters.refusedForMemory.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_stream_resumes_total",
            "Beginnings of streams: fresh, resumed behind the last event, or with a resync.",
            all {
                let begun = $0.counters.beginnings
                return [
                    .init(["outcome": "fresh"], begun.fresh),
                    .init(["outcome": "resumed"], begun.resumed),
                    .init(["outcome": "resync"], begun.resynchronized),
                ]
            }
        )
        metrics.counter(
            "store_stream_frames_total",
            "Frames sent whole.",
            each { $0.counters.frames.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_stream_sent_bytes_total",
            "Bytes that the sockets of streams have taken.",
            each { $0.counters.bytes.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_stream_frames_skipped_total",
            "Frames left out because newer ones came first.",
            each { $0.counters.conflated.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_stream_heartbeats_total",
            "Heartbeats sent.",
            each { $0.counters.heartbeats.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_stream_commands_dropped_total",
            "Commands to screens that were not sent: the reader was behind, or too many waited.",
            each { $0.counters.commandsDropped.load(ordering: .relaxed) }
        )
        metrics.counter(
            "store_stream_writer_busy_seconds_total",
            "Time that the stream writer has worked.",
            each { $0.store.streams.workSeconds }
        )
    }
}

extension MeasuredStore {
    fileprivate var counters: StreamCounters { store.streams.counters }

    fileprivate var openStreams: [MetricsText.Sample<UInt64>] {
        guard let roles = figures.roleStreams else {
            return counters.byKind.map { .init(["kind": "\($0.kind)"], $0.open) }
        }
        return roles.open.map { .init(["kind": "\($0.kind)", "role": $0.role], $0.count) }
    }
}
