import HTTPTransport
import Synchronization
package import Telemetry
import Wire

/// `GET /metrics`: what happens in the server, for Prometheus.
package struct MetricsRoutes: RouteGroup {
    private let links: Links
    private let stores: @Sendable () -> [MeasuredStore]
    private let transport: @Sendable () -> TransportCounters?
    private let analytics: AnalyticsWriter?
    /// How many requests were refused because of a rate; `nil` where there is none.
    private let refused: RefusedCounts?

    /// The metrics of these stores; at `/`, those of the process besides.
    package init(
        _ links: Links,
        _ stores: @escaping @Sendable () -> [MeasuredStore],
        _ analytics: AnalyticsWriter?,
        _ web: WebRules = WebRules()
    ) {
        self.links = links
        self.stores = stores
        let isProcess = links.store == nil
        transport = { isProcess ? stores().first?.store.transportCounters : nil }
        self.analytics = isProcess ? analytics : nil
        refused = isProcess ? web.limits?.refused : nil
    }

    package var routes: [Route] {
        [
            .read(
                links.metrics,
                "Metrics",
                "What happens in the server, for Prometheus.",
                needs: .metrics,
                answers: [.text("text/plain", "The metrics.")],
                isServedDuringDrain: true,
                handle: show
            )
        ]
    }

    private func show(_ request: RequestContext) {
        request.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),
                    ("Cache-Control", "no-store"),
                ],
                body: .bytes(Array(text.utf8))
            )
        )
    }

    private var text: String {
        var metrics = MetricsText()
        let stores = stores()
        stores.writeActions(to: &metrics)
        stores.writeStreams(to: &metrics)
        if let counters = transport() { Self.write(counters, to: &metrics) }
        if let analytics {
            metrics.counter(
                "analytics_written_total",
                "Analytics lines written.",
                [([:], analytics.writtenTotal)]
            )
            metrics.counter(
                "analytics_dropped_total",
                "Analytics lines that did not fit or could not be written.",
                [([:], analytics.droppedTotal)]
            )
        }
        if let refused {
            metrics.counter(
                "http_rate_limited_total",
                "Requests answered with 429, by what there was too much of.",
                RateLimitKind.allCases.map { (["limit": $0.name], refused[$0]) }
            )
        }
        return metrics.text
    }

    private static func write(_ counters: TransportCounters, to metrics: inout MetricsText) {
        metrics.counter(
            "http_connections_total",
            "Connections accepted.",
            [([:], counters.accepted.load(ordering: .relaxed))]
        )
        metrics.counter(
            "http_requests_total",
            "Requests whose headers were read.",
            [([:], counters.requests.load(ordering: .relaxed))]
        )
        metrics.counter(
            "http_refused_total",
            "What the transport itself refused, by why.",
            [
                (["reason": "limit"], counters.refused.load(ordering: .relaxed)),
                (["reason": "framing"], counters.framingRefused.load(ordering: .relaxed)),
                (["reason": "timeout"], counters.timeouts.load(ordering: .relaxed)),
            ]
        )
    }
}
