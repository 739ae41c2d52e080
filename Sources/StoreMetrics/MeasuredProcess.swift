package import StoreAdmission
package import StoreHTTPTransport
package import StoreTelemetry
package import StoreTraces

/// The measurements of the process, besides the measurements of its stores.
package struct MeasuredProcess: Sendable {
    let transport: TransportCounters
    /// The writer of analytics lines; `nil` if they are off.
    let analytics: AnalyticsWriter?
    /// The tracer of spans; `nil` if no traces are exported.
    let tracer: Tracer?
    /// The numbers of requests that rate limits have refused; `nil` if there are no limits.
    let refused: RefusedCounts?
    let log: LogCounts
    /// The versions of the program and of its libraries.
    let build: MetricLabels

    package init(
        _ transport: TransportCounters,
        _ analytics: AnalyticsWriter?,
        _ web: WebRules = WebRules(),
        log: LogCounts,
        tracer: Tracer? = nil,
        build: MetricLabels
    ) {
        self.transport = transport
        self.analytics = analytics
        self.tracer = tracer
        refused = web.limits?.refused
        self.log = log
        self.build = build
    }
}
