import StoreCore
import StoreHTTPTransport
import StorePlatform
import StoreTelemetry
import Synchronization

extension [MeasuredStore] {
    /// Writes the metrics of requests, by route. With a transport, also the requests that were
    /// answered before a route was found.
    func writeRequests(to metrics: inout MetricsText, _ transport: TransportCounters?) {
        let routed = all { store in
            store.figures.requests.all.flatMap { series in
                series.times.byClass.map {
                    .init(
                        ["method": series.method, "route": series.route, "status": $0.name],
                        $0.times
                    )
                }
            }
        }
        let unrouted = (transport?.unrouted.byClass ?? []).map {
            MetricsText.Sample(
                ["method": "none", "route": "none", "status": $0.name],
                $0.times
            )
        }
        metrics.histogram(
            "store_http_request_seconds",
            "Time of requests, from their first line until the answer.",
            routed + unrouted
        )
    }

    /// Writes the number of sessions, and the numbers of requests that a bound or a policy has
    /// refused.
    func writeRefusals(to metrics: inout MetricsText, _ transport: TransportCounters?) {
        metrics.gauge(
            "store_sessions_open",
            "Sessions of clients.",
            eachWith { $0.store.sessions?.figures.open }
        )
        let process =
            transport.map { transport in
                transport.bounds + [("connections", transport.refused.load(ordering: .relaxed))]
            } ?? []
        metrics.counter(
            "store_limits_hit_total",
            "Requests, streams, sessions and actions refused because a bound was reached.",
            all { store in store.limitsHit.map { .init(["limit": $0.name], $0.hits) } }
                + process.map { .init(["limit": $0.name], $0.hits) }
        )
        metrics.counter(
            "store_policy_denials_total",
            "Requests that a policy denied, by the missing grant.",
            all { $0.figures.denials.all.map { .init(["grant": $0.grant], $0.count) } }
        )
    }
}

extension MeasuredStore {
    /// The number of refusals for each bound of the store.
    fileprivate var limitsHit: [(name: String, hits: UInt64)] {
        var hits = [
            ("mailbox", store.core.mailboxRefusedTotal),
            ("streams", store.streams.counters.refused.load(ordering: .relaxed)),
            ("reads", store.reader.threads.refusedTotal),
        ]
        if let effects = store.core.effects {
            hits.append(("effects", effects.refused.load(ordering: .relaxed)))
        }
        if let sessions = store.sessions?.figures {
            hits.append(("sessions", sessions.full))
            hits.append(("sessions_per_address", sessions.addressFull))
        }
        return hits
    }
}

extension RouteTimes {
    /// The classes of status that at least one request was answered with.
    fileprivate var byClass: [(name: String, times: Distribution)] {
        Self.classes.map { ("\($0)xx", distribution(ofStatus: $0)) }.filter { $0.1.count > 0 }
    }
}

// Streams

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
