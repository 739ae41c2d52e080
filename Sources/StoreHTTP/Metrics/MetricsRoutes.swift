import HTTPTransport
import StoreCore
import Synchronization
package import Telemetry
import Wire

/// `GET /metrics`: what happens in the server, for Prometheus.
package struct MetricsRoutes: RouteGroup {
    package let links: Links
    package let store: Store
    package let times: ServerTimes
    package let analytics: AnalyticsWriter?

    package init(
        links: Links,
        store: Store,
        times: ServerTimes,
        analytics: AnalyticsWriter?
    ) {
        self.links = links
        self.store = store
        self.times = times
        self.analytics = analytics
    }

    package var routes: [Route] {
        [
            .read(
                links.metrics,
                "Metrics",
                "What happens in the server, for Prometheus.",
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
        writeActions(to: &metrics)
        writeStreams(to: &metrics)
        writeConnections(to: &metrics)
        if let analytics {
            metrics.counter(
                "analytics_written_total",
                "Analytics lines written.",
                analytics.writtenTotal
            )
            metrics.counter(
                "analytics_dropped_total",
                "Analytics lines that did not fit or could not be written.",
                analytics.droppedTotal
            )
        }
        return metrics.text
    }

    private func writeActions(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_version",
            "The version of the published state.",
            store.reader.version
        )
        metrics.counter(
            "store_mailbox_refused_total",
            "Actions that the mailbox did not take because it was full.",
            store.core.mailboxRefusedTotal
        )
        metrics.counter(
            "store_actions_dropped_total",
            "Actions of the program's own that were not applied; the log says why.",
            store.core.droppedTotal
        )
        metrics.histogram(
            "store_reduce_seconds",
            "How long reducing an action took.",
            by: "type",
            times.reducing
        )
        guard let effects = store.core.effects else { return }
        metrics.gauge("store_effects_running", "Effects that run.", effects.runningCount)
        metrics.histogram(
            "store_effect_seconds",
            "How long an effect took, its retries and pauses included.",
            by: "module",
            times.effects
        )
    }

    private func writeStreams(to metrics: inout MetricsText) {
        let streams = store.streams.counters
        metrics.gauge("store_streams_open", "Streams that are open.", store.streams.open)
        metrics.counter(
            "store_streams_opened_total",
            "Streams that were opened.",
            streams.adopted.load(ordering: .relaxed)
        )
        metrics.counter(
            "store_streams_refused_total",
            "Streams refused because all places were taken.",
            streams.refused.load(ordering: .relaxed)
        )
        metrics.counters(
            "store_streams_closed_total",
            "Streams that ended, by what ended them.",
            by: "by",
            [
                "peer": streams.closedByPeer.load(ordering: .relaxed),
                "slow": streams.closedSlow.load(ordering: .relaxed),
                "server": streams.closedByServer.load(ordering: .relaxed),
            ]
        )
        metrics.counter(
            "store_stream_frames_total",
            "Frames sent whole.",
            streams.frames.load(ordering: .relaxed)
        )
        metrics.counter(
            "store_stream_frames_skipped_total",
            "Frames left out because newer ones came first.",
            streams.conflated.load(ordering: .relaxed)
        )
    }

    private func writeConnections(to metrics: inout MetricsText) {
        guard let counters = store.transportCounters else { return }
        metrics.counter(
            "http_connections_total",
            "Connections accepted.",
            counters.accepted.load(ordering: .relaxed)
        )
        metrics.counter(
            "http_requests_total",
            "Requests whose headers were read.",
            counters.requests.load(ordering: .relaxed)
        )
        metrics.counters(
            "http_refused_total",
            "What the transport itself refused, by why.",
            by: "reason",
            [
                "limit": counters.refused.load(ordering: .relaxed),
                "framing": counters.framingRefused.load(ordering: .relaxed),
                "timeout": counters.timeouts.load(ordering: .relaxed),
            ]
        )
    }
}

/// How long what the server does takes.
package struct ServerTimes: Sendable {
    /// Reducing, by the wire name of the action.
    package let reducing = Durations()
    /// Effects, by their module.
    package let effects = Durations()

    package init() {}
}
