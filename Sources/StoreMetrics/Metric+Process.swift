import StoreAdmission
import StoreHTTPTransport
import StoreTelemetry
import StoreTraces
import Synchronization

extension Metric {
    /// The metrics of connections, as the transport counts them.
    static let connections: [Metric] = [
        .gauge(
            "store_http_connections_open",
            "Open connections, without streams.",
            .process { $0.transport.open.load(ordering: .relaxed) }
        ),
        .counter(
            "store_http_connections_total",
            "Connections accepted.",
            .process { $0.transport.accepted.load(ordering: .relaxed) }
        ),
        .counter(
            "store_http_requests_total",
            "Requests whose headers were read.",
            .process { $0.transport.requests.load(ordering: .relaxed) }
        ),
        .gauge(
            "store_http_buffers_bytes",
            "Memory of bodies and answers in progress, beside 4 KiB of each.",
            .process { $0.transport.buffersBytes.load(ordering: .relaxed) }
        ),
        .gauge(
            "store_http_buffers_bytes_max",
            "The most memory that bodies and answers in progress may take.",
            .process { $0.transport.buffersBytesMax }
        ),
        .counter(
            "store_http_unread_ended_total",
            "Connections closed because unread answers took too much memory.",
            .process { $0.transport.unreadEnded.load(ordering: .relaxed) }
        ),
        .counter(
            "store_http_refused_total",
            "Requests and connections that the transport itself refused, by reason.",
            .part({ $0.transport }) { transport in
                [
                    ("limit", transport.refused.load(ordering: .relaxed)),
                    ("framing", transport.framingRefused.load(ordering: .relaxed)),
                    ("timeout", transport.timeouts.load(ordering: .relaxed)),
                ].map { MetricSample(["reason": $0], $1) }
            }
        ),
    ]

    /// The metrics of analytics, spans and rate limits. A server without analytics, spans or rate
    /// limits does not have their metrics.
    static let exports: [Metric] = [
        .counter(
            "store_analytics_written_total",
            "Analytics lines written.",
            .part({ $0.analytics }) { [MetricSample($0.writtenTotal)] }
        ),
        .counter(
            "store_analytics_dropped_total",
            "Analytics lines that did not fit, or could not be written.",
            .part({ $0.analytics }) { [MetricSample($0.droppedTotal)] }
        ),
        .counter(
            "store_otlp_spans_total",
            "Spans of exported traces, by their outcome.",
            .part({ $0.tracer }) { tracer in
                [
                    MetricSample(["outcome": "exported"], tracer.counts.exportedTotal),
                    MetricSample(["outcome": "dropped"], tracer.queue.droppedTotal),
                    MetricSample(["outcome": "failed"], tracer.counts.failedTotal),
                ]
            }
        ),
        .gauge(
            "store_otlp_spans_waiting",
            "Spans that wait to be exported.",
            .part({ $0.tracer }) { [MetricSample($0.queue.count)] }
        ),
        .counter(
            "store_http_rate_limited_total",
            "Requests answered with 429, by the kind of share that was used up.",
            .part({ $0.refused }) { refused in
                RateLimitKind.allCases.map { MetricSample(["limit": $0.name], refused[$0]) }
            }
        ),
    ]

    /// The metrics of the log, and the versions of the program.
    static let log: [Metric] = [
        .counter(
            "store_log_lines_total",
            "Lines of the log, by their level, including lines that found no room.",
            .part({ $0.log }) { log in
                log.byLevel.map { MetricSample(["level": $0.level.rawValue], $0.lines) }
            }
        ),
        .gauge(
            "store_log_last_error_time_seconds",
            "Time of the last error of each event in the log, since 1970.",
            .part({ $0.log }) { log in
                log.lastErrors.map {
                    MetricSample(["event": $0.event.rawValue], Double($0.time) / 1e9)
                }
            }
        ),
        .info(
            "store_build_info",
            "The versions of the running program.",
            .part({ $0.build }) { [MetricSample($0, 1)] }
        ),
    ]

    /// The figures of the system about the process, under the names that Prometheus's clients use.
    static let system: [Metric] = [
        .counter(
            "process_cpu_seconds_total",
            "Processor time, in user and system mode.",
            .system { $0.cpuSeconds }
        ),
        .gauge(
            "process_resident_memory_bytes",
            "Memory that is in RAM.",
            .system { $0.residentBytes }
        ),
        .gauge("process_virtual_memory_bytes", "Address space.", .system { $0.virtualBytes }),
        .gauge("process_threads", "Threads.", .system { $0.threads }),
        .gauge("process_open_fds", "Open descriptors.", .system { $0.openDescriptors }),
        .gauge(
            "process_max_fds",
            "The most descriptors that may be open.",
            .system { $0.descriptorsMax }
        ),
        .gauge(
            "process_start_time_seconds",
            "Time at which the process began, since 1970.",
            .system { $0.startSeconds }
        ),
    ]
}
