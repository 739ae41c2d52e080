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
