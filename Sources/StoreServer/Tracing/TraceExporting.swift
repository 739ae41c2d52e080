import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreTelemetry
import StoreTraceExport
import StoreTraces

/// The export of a process's traces, where one is configured: what chooses them, what their spans
/// wait in, and what sends those.
final class TraceExporting: Sendable {
    /// How long a stop waits for the collector.
    static let stopSecondsMax = 2.0

    let tracer: Tracer
    private let exporter: SpanExporter

    /// - Returns: `nil` where no traces are to be exported.
    /// - Throws: where the file with header fields can't be used.
    init?(
        _ configuration: ServerConfiguration,
        program: String,
        version: String,
        _ logger: Logger
    ) throws(ConfigurationError) {
        guard let endpoint = configuration.otlpEndpoint, let url = CollectorURL(endpoint) else {
            return nil
        }
        tracer = Tracer(
            SpanQueue(batchMax: SpanExporter.batchSpansMax),
            ratio: configuration.otlpSample
        )
        exporter = SpanExporter(
            to: url,
            tracer,
            SpanEncoder(
                resource: Self.resource(configuration.otlpService ?? program, version),
                version: StoreServerVersion.current
            ),
            headers: try configuration.collectorHeaders(),
            logger: logger
        )
        if url.isOpenToReaders, configuration.otlpHeadersFile != nil {
            logger.warning(
                .configurationExposed,
                "--otlp-headers-file: what it has goes to \(url.text) without TLS"
            )
        }
    }

    /// What has the transport choose and record requests.
    func requests(forgetsClients: Bool) -> RequestTracing {
        RequestSpans(tracer, forgetsClients: forgetsClients).tracing
    }

    /// What records the spans of a store.
    func tracing(of store: String?, epoch: String) -> StoreTracing {
        let name = store.map { [Span.Attribute("store.name", $0)] } ?? []
        return StoreTracing(tracer, name + [.init("store.epoch", epoch)])
    }

    func start() { exporter.start() }

    /// Exports what waits, or gives it up when the seconds are over. After ``start()``.
    func close(seconds: Double) {
        exporter.close(seconds: min(Self.stopSecondsMax, seconds))
    }

    /// Where the spans come from, by OpenTelemetry's conventions for resources.
    private static func resource(_ service: String, _ version: String) -> [Span.Attribute] {
        [
            .init("service.name", service),
            .init("service.version", version),
            .init("service.instance.id", UUIDKey.live()),
            .init("telemetry.sdk.name", "store-server"),
            .init("telemetry.sdk.language", "swift"),
            .init("telemetry.sdk.version", StoreServerVersion.current),
        ]
    }
}

extension TraceExporting: Reloadable {
    var subject: String { "otlp" }

    /// Takes the header fields and the ratio; an endpoint needs a new start.
    func reload(_ configuration: ServerConfiguration) throws -> String? {
        let hasHeaders = exporter.send(try configuration.collectorHeaders())
        let hasRatio = tracer.sample(ratio: configuration.otlpSample)
        var changes: [String] = []
        if hasHeaders { changes.append("the collector gets other header fields") }
        if hasRatio { changes.append("\(configuration.otlpSample) of new traces are exported") }
        return changes.isEmpty ? nil : changes.joined(separator: "; ")
    }
}
