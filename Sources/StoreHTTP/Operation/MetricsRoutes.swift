import StoreHTTPTransport
import StoreMetrics
import StoreWire

/// `GET /metrics`: the metrics of the server, for Prometheus.
struct MetricsRoutes: RouteGroup {
    let links: Links
    let stores: @Sendable () -> [MeasuredStore]
    /// The figures of the process; `nil` for a store other than the store at `/`.
    let process: MeasuredProcess?

    var routes: [Route] {
        [
            .reading(
                links.metrics,
                "Metrics",
                "The figures of the server, for Prometheus.",
                needs: .metrics,
                parameters: [Self.accept],
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

    private static let accept = HeaderParameter(
        "Accept",
        "application/openmetrics-text for OpenMetrics 1.0.0."
    )

    private func show(_ request: RequestContext) {
        let format = MetricsFormat(accepting: request.exchange.headerList("accept"))
        let text = Array(Measurements(stores(), process).text(format).utf8)
        request.respond(.uncached(text, as: format.contentType, addingFields: [("Vary", "Accept")]))
    }
}

extension Store: MeasurableStore {
    package var streamsMax: Int { bounds.streamsMax }
    package var epoch: String { reader.epochText }
    package var version: UInt64 { reader.version }
    package var refusedReadsTotal: UInt64 { reader.threads.refusedTotal }
    package var sessionCounts:
        (
            open: Int, refusedWhenFull: UInt64, refusedWhenAddressFull: UInt64
        )?
    {
        hasOwnSessions ? sessions?.sessionCounts : nil
    }
}
