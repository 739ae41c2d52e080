import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StorePlatform
import Synchronization

extension Metric {
    /// The metrics of streams: their frames, their beginnings and their ends.
    static let streams: [Metric] = [
        .valuesPerStore("store_streams_open", "Open streams, by kind; with a policy, also by role.")
        {
            $0.openStreams
        },
        .perStore("store_streams_max", "The most streams that may be open.") {
            $0.store.streamsMax
        },
        .valuesPerStore("store_streams_opened_total", "Streams that were opened.", by: "kind") {
            $0.counters.byKind.map { ("\($0.kind)", $0.opened) }
        },
        .valuesPerStore(
            "store_streams_closed_total",
            "Streams that ended, by reason.",
            by: "reason"
        ) {
            store in
            StreamEnding.allCases.map { ($0.rawValue, store.counters.count(of: $0)) }
        },
        .perStore(
            "store_streams_shed_total",
            "Streams of slow readers that were ended because memory was scarce."
        ) { $0.counters.readersShed.currentCount },
        .perStore(
            "store_streams_refused_for_memory_total",
            "Streams refused because memory was scarce."
        ) { $0.counters.refusedForMemory.currentCount },
        .valuesPerStore(
            "store_stream_resumes_total",
            "Beginnings of streams: fresh, resumed after the last event, or with a resync.",
            by: "outcome"
        ) {
            let begun = $0.counters.beginnings
            return [
                ("fresh", begun.fresh), ("resumed", begun.resumed),
                ("resync", begun.resynchronized),
            ]
        },
        .perStore("store_stream_frames_total", "Frames sent whole.") {
            $0.counters.frames.currentCount
        },
        .perStore("store_stream_sent_bytes_total", "Bytes that the sockets of streams have taken.")
        {
            $0.counters.bytes.currentCount
        },
        .perStore(
            "store_stream_frames_skipped_total",
            "Frames that were left out because newer frames replaced them."
        ) { $0.counters.framesConflated.currentCount },
        .perStore("store_stream_heartbeats_total", "Heartbeats sent.") {
            $0.counters.heartbeats.currentCount
        },
        .perStore(
            "store_stream_commands_dropped_total",
            "Screen commands that were not sent: the reader was behind, or too many commands "
                + "waited."
        ) { $0.counters.commandsDropped.currentCount },
        .perStore(
            "store_stream_writer_busy_seconds_total",
            "Time that the stream writer has worked."
        ) { $0.store.streamWriter.workSeconds },
    ]

    /// The metrics of requests and sessions, and of requests that a bound or a policy has refused.
    static let requests: [Metric] = [
        .valuesPerStore(
            "store_http_request_seconds",
            "Time of requests, from their request line until the answer."
        ) {
            $0.figures.requests.allSeries.flatMap {
                $0.times.valuesByStatusClass($0.method, $0.route)
            }
        } process: {
            // The durations of requests that were answered before a route was found.
            $0.transport.unroutedTimes.valuesByStatusClass("none", "none")
        },
        .perStore("store_sessions_open", "Sessions of clients.") { $0.store.sessionCounts?.open },
        .valuesPerStore(
            "store_limits_hit_total",
            "Requests, streams, sessions and actions refused because a bound was reached.",
            by: "limit"
        ) {
            $0.refusalCountsByLimit
        } process: {
            $0.transport.boundHits + [("connections", $0.transport.refusedConnections.currentCount)]
        },
        .valuesPerStore(
            "store_policy_denials_total",
            "Requests that a policy denied, by the missing grant.",
            by: "grant"
        ) { $0.figures.denialCounts.all },
    ]
}

extension MeasuredStore {
    fileprivate var counters: StreamCounters { store.streamWriter.counters }

    fileprivate var openStreams: Metric.Values<UInt64> {
        guard let roles = figures.roleStreamCounts else {
            return counters.byKind.map { (["kind": "\($0.kind)"], $0.open) }
        }
        return roles.openCounts.map { (["kind": "\($0.kind)", "role": $0.role], $0.count) }
    }

    /// The number of refusals for each bound of the store.
    fileprivate var refusalCountsByLimit: [(String, UInt64)] {
        var hits = [
            ("mailbox", store.engine.mailboxRefusedTotal),
            ("streams", counters.refusedForPlaces.currentCount),
            ("reads", store.refusedReadsTotal),
        ]
        if let effects = store.engine.effects {
            hits.append(("effects", effects.refusedCount.currentCount))
        }
        if let sessions = store.sessionCounts {
            hits.append(("sessions", sessions.refusedWhenFull))
            hits.append(("sessions_per_address", sessions.refusedWhenAddressFull))
        }
        return hits
    }
}

extension RouteTimes {
    /// Returns the durations for each class of status codes with at least one request.
    fileprivate func valuesByStatusClass(_ method: String, _ route: String)
        -> Metric.Values<Distribution>
    {
        Self.statusClasses.map { ("\($0)xx", distribution(ofStatusClass: $0)) }.filter {
            $1.count > 0
        }.map {
            (["method": method, "route": route, "status": $0], $1)
        }
    }
}
