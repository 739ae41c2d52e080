import StoreHTTPTransport
import StoreJSONSchema
import StoreTelemetry
import StoreWire

/// `GET /metrics`: the metrics of the server, for Prometheus.
package struct MetricsRoutes: RouteGroup {
    private let links: Links
    private let stores: @Sendable () -> [MeasuredStore]
    private let process: MeasuredProcess?

    /// Makes the route for the metrics of these stores. At `/`, it also has the metrics of the
    /// process.
    package init(
        _ links: Links,
        _ stores: @escaping @Sendable () -> [MeasuredStore],
        _ process: MeasuredProcess
    ) {
        self.links = links
        self.stores = stores
        self.process = links.store == nil ? process : nil
    }

    package var routes: [Route] {
        [
            .read(
                links.metrics,
                "Metrics",
                "The figures of the server, for Prometheus.",
                needs: .metrics,
                parameters: [
                    HeaderParameter(
                        "Accept",
                        .string(),
                        "application/openmetrics-text for OpenMetrics 1.0.0."
                    )
                ],
                answers: [
                    .init(
                        200,
                        "The metrics.",
                        headers: ["Vary"],
                        bodies: [.init("text/plain"), .init("application/openmetrics-text")]
                    )
                ],
                audience: .operators,
                isServedDuringDrain: true,
                handle: show
            )
        ]
    }

    private func show(_ request: RequestContext) {
        let format = MetricsFormat(accepting: request.exchange.headerList("accept"))
        request.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", format.contentType), ("Cache-Control", "no-store"),
                    ("Vary", "Accept"),
                ],
                body: .bytes(Array(text(format).utf8))
            )
        )
    }

    private func text(_ format: MetricsFormat) -> String {
        var metrics = MetricsText(format)
        let stores = stores()
        stores.writeActions(to: &metrics)
        stores.writeEffects(to: &metrics)
        stores.writeStreams(to: &metrics)
        stores.writeJournal(to: &metrics)
        stores.writeRequests(to: &metrics, process?.transport)
        stores.writeRefusals(to: &metrics, process?.transport)
        process?.write(to: &metrics)
        return metrics.text
    }
}
