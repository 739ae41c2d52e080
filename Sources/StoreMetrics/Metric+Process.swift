import StoreAdmission
import StoreHTTPTransport
import StoreTelemetry
import StoreTraces
import Synchronization

extension Metric {
    /// The metrics of connections, as the transport counts them.
    static let connections: [Metric] = [
        .ofProcess("store_http_connections_open", "Open connections, without streams.") {
            $0.transport.openConnections.currentCount
        },
        .ofProcess("store_http_connections_total", "Connections accepted.") {
            $0.transport.acceptedConnections.currentCount
        },
        .ofProcess("store_http_requests_total", "Requests whose headers were read.") {
            $0.transport.requests.currentCount
        },
        .ofProcess(
            "store_http_buffers_bytes",
            "Memory of bodies and answers in progress, without the first 4 KiB of each."
        ) { $0.transport.buffersBytes.currentCount },
        .ofProcess(
            "store_http_buffers_bytes_max",
            "The most memory that bodies and answers in progress may take."
        ) { $0.transport.buffersBytesMax },
        .ofProcess(
            "store_http_unread_ended_total",
            "Connections closed because unread answers took too much memory."
        ) { $0.transport.unreadAnswerConnectionsClosed.currentCount },
        .ofProcess(
            "store_http_refused_total",
            "Requests and connections that the transport itself refused, by reason.",
            by: "reason"
        ) {
            [
                ("limit", $0.transport.refusedConnections.currentCount),
                ("framing", $0.transport.framingRefusedRequests.currentCount),
                ("timeout", $0.transport.timeouts.currentCount),
            ]
        },
    ]

    /// The metrics of analytics, spans and rate limits. A server that has no analytics, spans or
    /// rate limits does not have the metrics for them.
    static let exportsAndRateLimits: [Metric] = [
        .ofProcess("store_analytics_written_total", "Analytics lines written.") {
            $0.analytics?.writtenTotal
        },
        .ofProcess(
            "store_analytics_dropped_total",
            "Analytics lines that were dropped because the queue was full, or that could not be "
                + "written."
        ) { $0.analytics?.droppedTotal },
        .ofProcess(
            "store_otlp_spans_total",
            "Spans of exported traces, by their outcome.",
            by: "outcome"
        ) {
            $0.tracer.map {
                [
                    ("exported", $0.counts.exportedTotal), ("dropped", $0.queue.droppedTotal),
                    ("failed", $0.counts.failedTotal),
                ]
            }
        },
        .ofProcess("store_otlp_spans_waiting", "Spans that wait to be exported.") {
            $0.tracer?.queue.count
        },
        .ofProcess(
            "store_http_rate_limited_total",
            "Requests answered with 429, by the kind of share that was used up.",
            by: "limit"
        ) {
            $0.rateRefusalCounts.map { refused in
                RateLimitKind.allCases.map { ($0.name, refused[$0]) }
            }
        },
    ]

    /// The metrics of the log, and the versions of the program.
    static let log: [Metric] = [
        .ofProcess(
            "store_log_lines_total",
            "Lines of the log, by level, including lines that were dropped because the queue "
                + "was full.",
            by: "level"
        ) { $0.logCounts.countsByLevel.map { ($0.level.rawValue, $0.lines) } },
        .ofProcess(
            "store_log_last_error_time_seconds",
            "Time of the last error of each event in the log, in seconds since 1970.",
            by: "event"
        ) { $0.logCounts.lastErrors.map { ($0.event.rawValue, Double($0.time) / 1e9) } },
        Metric("store_build_info", "The versions of the running program.") {
            $0.process.map { [($0.versionLabels, 1)] }
        },
    ]

    /// The figures that the system reports about the process, under the names that Prometheus's
    /// clients use.
    static let processFigures: [Metric] = [
        .ofProcessFigures("process_cpu_seconds_total", "Processor time, in user and system mode.") {
            $0.cpuSeconds
        },
        .ofProcessFigures("process_resident_memory_bytes", "Memory that is in RAM.") {
            $0.residentBytes
        },
        .ofProcessFigures("process_virtual_memory_bytes", "Address space.") { $0.virtualBytes },
        .ofProcessFigures("process_threads", "Threads.") { $0.threadCount },
        .ofProcessFigures("process_open_fds", "Open descriptors.") { $0.openDescriptorCount },
        .ofProcessFigures("process_max_fds", "The most descriptors that may be open.") {
            $0.descriptorsMax
        },
        .ofProcessFigures(
            "process_start_time_seconds",
            "Time at which the process began, in seconds since 1970."
        ) {
            $0.startUnixSeconds
        },
    ]
}
