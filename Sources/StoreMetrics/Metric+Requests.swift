import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StorePlatform
import Synchronization

extension Metric {
    /// The metrics of streams: their frames, their beginnings and their ends.
    static let streams: [Metric] = [
        .gauge(
            "store_streams_open",
            "Open streams, by kind, and with a policy by role.",
            .all { $0.openStreams }
        ),
        .gauge(
            "store_streams_max",
            "The most streams that may be open.",
            .each { $0.store.streamsMax }
        ),
        .counter(
            "store_streams_opened_total",
            "Streams that were opened.",
            .all { $0.counters.byKind.map { MetricSample(["kind": "\($0.kind)"], $0.opened) } }
        ),
        .counter(
            "store_streams_closed_total",
            "Streams that ended, by reason.",
            .all { store in
                StreamEnding.allCases.map {
                    MetricSample(["reason": $0.rawValue], store.counters.count(of: $0))
                }
            }
        ),
        .counter(
            "store_streams_shed_total",
            "Streams of slow readers that were ended because memory was scarce.",
            .each { $0.counters.shed.load(ordering: .relaxed) }
        ),
        .counter(
            "store_streams_refused_for_memory_total",
            "Streams refused because memory was scarce.",
            .each { $0.counters.refusedForMemory.load(ordering: .relaxed) }
        ),
        .counter(
            "store_stream_resumes_total",
            "Beginnings of streams: fresh, resumed behind the last event, or with a resync.",
            .all {
                let begun = $0.counters.beginnings
                return [
                    MetricSample(["outcome": "fresh"], begun.fresh),
                    MetricSample(["outcome": "resumed"], begun.resumed),
                    MetricSample(["outcome": "resync"], begun.resynchronized),
                ]
            }
        ),
        .counter(
            "store_stream_frames_total",
            "Frames sent whole.",
            .each { $0.counters.frames.load(ordering: .relaxed) }
        ),
        .counter(
            "store_stream_sent_bytes_total",
            "Bytes that the sockets of streams have taken.",
            .each { $0.counters.bytes.load(ordering: .relaxed) }
        ),
        .counter(
            "store_stream_frames_skipped_total",
            "Frames left out because newer ones came first.",
            .each { $0.counters.conflated.load(ordering: .relaxed) }
        ),
        .counter(
            "store_stream_heartbeats_total",
            "Heartbeats sent.",
            .each { $0.counters.heartbeats.load(ordering: .relaxed) }
        ),
        .counter(
            "store_stream_commands_dropped_total",
            "Commands to screens that were not sent: the reader was behind, or too many waited.",
            .each { $0.counters.commandsDropped.load(ordering: .relaxed) }
        ),
        .counter(
            "store_stream_writer_busy_seconds_total",
            "Time that the stream writer has worked.",
            .each { $0.store.streams.workSeconds }
        ),
    ]

    /// The metrics of requests and sessions, and of requests that a bound or a policy has refused.
    static let requests: [Metric] = [
        .histogram(
            "store_http_request_seconds",
            "Time of requests, from their first line until the answer.",
            .all {
                $0.figures.requests.all.flatMap { $0.times.samples($0.method, $0.route) }
            } process: {
                // Requests that were answered before a route was found.
                $0.transport.unrouted.samples("none", "none")
            }
        ),
        .gauge(
            "store_sessions_open",
            "Sessions of clients.",
            .each { $0.store.sessionFigures?.open }
        ),
        .counter(
            "store_limits_hit_total",
            "Requests, streams, sessions and actions refused because a bound was reached.",
            .all {
                $0.limitsHit
            } process: {
                $0.transport.bounds.map { MetricSample(["limit": $0.name], $0.hits) } + [
                    MetricSample(
                        ["limit": "connections"],
                        $0.transport.refused.load(ordering: .relaxed)
                    )
                ]
            }
        ),
        .counter(
            "store_policy_denials_total",
            "Requests that a policy denied, by the missing grant.",
            .all { $0.figures.denials.all.map { MetricSample(["grant": $0.grant], $0.count) } }
        ),
    ]
}

extension MeasuredStore {
    fileprivate var counters: StreamCounters { store.streams.counters }

    fileprivate var openStreams: [MetricSample] {
        guard let roles = figures.roleStreams else {
            return counters.byKind.map { MetricSample(["kind": "\($0.kind)"], $0.open) }
        }
        return roles.open.map {
            MetricSample(["kind": "\($0.kind)", "role": $0.role], $0.count)
        }
    }

    /// The number of refusals for each bound of the store.
    fileprivate var limitsHit: [MetricSample] {
        var hits = [
            ("mailbox", store.core.mailboxRefusedTotal),
            ("streams", counters.refused.load(ordering: .relaxed)),
            ("reads", store.readsRefused),
        ]
        if let effects = store.core.effects {
            hits.append(("effects", effects.refused.load(ordering: .relaxed)))
        }
        if let sessions = store.sessionFigures {
            hits.append(("sessions", sessions.full))
            hits.append(("sessions_per_address", sessions.addressFull))
        }
        return hits.map { MetricSample(["limit": $0], $1) }
    }
}

extension RouteTimes {
    /// Returns the times by class of status, for the classes with at least one request.
    fileprivate func samples(_ method: String, _ route: String) -> [MetricSample] {
        Self.classes.map { ("\($0)xx", distribution(ofStatus: $0)) }.filter { $1.count > 0 }.map {
            MetricSample(["method": method, "route": route, "status": $0], $1)
        }
    }
}
