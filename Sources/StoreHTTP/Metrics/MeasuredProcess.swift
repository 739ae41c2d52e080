package import StoreHTTPTransport
import StorePlatform
package import StoreTelemetry
package import StoreTraces
import Synchronization

/// The measurements of the process, besides the measurements of its stores.
package struct MeasuredProcess: Sendable {
    /// The counters of the transport.
    let transport: TransportCounters
    /// The writer of analytics lines; `nil` if they are off.
    private let analytics: AnalyticsWriter?
    /// The tracer of spans; `nil` if no traces are exported.
    private let tracer: Tracer?
    /// The numbers of requests that rate limits have refused; `nil` if there are no limits.
    private let refused: RefusedCounts?
    /// The counters of the log.
    private let log: LogCounts
    /// The versions of the program and of its libraries.
    private let build: MetricLabels

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

    func write(to metrics: inout MetricsText) {
        writeConnections(to: &metrics)
        if let analytics {
            metrics.counter(
                "store_analytics_written_total",
                "Analytics lines written.",
                Self.one(analytics.writtenTotal)
            )
            metrics.counter(
                "store_analytics_dropped_total",
                "Analytics lines that did not fit, or could not be written.",
                Self.one(analytics.droppedTotal)
            )
        }
        if let tracer { Self.write(tracer, to: &metrics) }
        if let refused {
            metrics.counter(
                "store_http_rate_limited_total",
                "Requests answered with 429, by the kind of share that was used up.",
                RateLimitKind.allCases.map { .init(["limit": $0.name], refused[$0]) }
            )
        }
        writeLog(to: &metrics)
        metrics.info("store_build_info", "The versions of the running program.", [build])
        Self.write(ProcessFigures(), to: &metrics)
    }

    private func writeLog(to metrics: inout MetricsText) {
        metrics.counter(
            "store_log_lines_total",
            "Lines of the log, by their level, including lines that found no room.",
            log.byLevel.map { .init(["level": $0.level.rawValue], $0.lines) }
        )
        metrics.gauge(
            "store_log_last_error_time_seconds",
            "Time of the last error of each event in the log, since 1970.",
            log.lastErrors.map { .init(["event": $0.event.rawValue], Double($0.time) / 1e9) }
        )
    }

    private static func write(_ tracer: Tracer, to metrics: inout MetricsText) {
        metrics.counter(
            "store_otlp_spans_total",
            "Spans of exported traces, by their outcome.",
            [
                .init(["outcome": "exported"], tracer.counts.exportedTotal),
                .init(["outcome": "dropped"], tracer.queue.droppedTotal),
                .init(["outcome": "failed"], tracer.counts.failedTotal),
            ]
        )
        metrics.gauge(
            "store_otlp_spans_waiting",
            "Spans that wait to be exported.",
            one(tracer.queue.count)
        )
    }

    private func writeConnections(to metrics: inout MetricsText) {
        metrics.gauge(
            "store_http_connections_open",
            "Open connections, without streams.",
            Self.one(transport.open.load(ordering: .relaxed))
        )
        metrics.counter(
            "store_http_connections_total",
            "Connections accepted.",
            Self.one(transport.accepted.load(ordering: .relaxed))
        )
        metrics.counter(
            "store_http_requests_total",
            "Requests whose headers were read.",
            Self.one(transport.requests.load(ordering: .relaxed))
        )
        metrics.gauge(
            "store_http_buffers_bytes",
            "Memory of bodies and answers in progress, beside 4 KiB of each.",
            Self.one(transport.buffersBytes.load(ordering: .relaxed))
        )
        metrics.gauge(
            "store_http_buffers_bytes_max",
            "The most memory that bodies and answers in progress may take.",
            Self.one(UInt64(transport.buffersBytesMax))
        )
        metrics.counter(
            "store_http_unread_ended_total",
            "Connections closed because unread answers took too much memory.",
            Self.one(transport.unreadEnded.load(ordering: .relaxed))
        )
        metrics.counter(
            "store_http_refused_total",
            "Requests and connections that the transport itself refused, by reason.",
            [
                .init(["reason": "limit"], transport.refused.load(ordering: .relaxed)),
                .init(["reason": "framing"], transport.framingRefused.load(ordering: .relaxed)),
                .init(["reason": "timeout"], transport.timeouts.load(ordering: .relaxed)),
            ]
        )
    }

    /// Writes the figures of the process under the names that Prometheus's clients use. Figures
    /// that the system does not report are left out.
    private static func write(_ process: ProcessFigures, to metrics: inout MetricsText) {
        metrics.counter(
            "process_cpu_seconds_total",
            "Processor time, in user and system mode.",
            one(process.cpuSeconds)
        )
        metrics.gauge(
            "process_resident_memory_bytes",
            "Memory that is in RAM.",
            one(process.residentBytes)
        )
        metrics.gauge(
            "process_virtual_memory_bytes",
            "Address space.",
            one(process.virtualBytes)
        )
        metrics.gauge("process_threads", "Threads.", one(process.threads))
        metrics.gauge("process_open_fds", "Open descriptors.", one(process.openDescriptors))
        metrics.gauge(
            "process_max_fds",
            "The most descriptors that may be open.",
            one(process.descriptorsMax)
        )
        metrics.gauge(
            "process_start_time_seconds",
            "Time at which the process began, since 1970.",
            one(process.startSeconds)
        )
    }

    /// Makes a single value without labels; none for `nil`.
    private static func one<Value>(_ value: Value?) -> [MetricsText.Sample<Value>] {
        value.map { [.init([:], $0)] } ?? []
    }
}
