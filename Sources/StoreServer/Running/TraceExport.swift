import StoreActionCatalog
import StoreCore
import StoreHTTP
import StoreHTTPTransport
import StoreTelemetry
import StoreTraceExport
import StoreTraces

/// The export of a process's traces: the sampler, the queue of finished spans, and the exporter.
final class TraceExport: Sendable {
    /// The maximum time, in seconds, that a stop waits for the collector.
    static let stopSecondsMax = 2.0

    let tracer: Tracer
    private let exporter: SpanExporter

    /// Makes the export without starting it. Returns `nil` if the configuration has no endpoint for
    /// traces. Throws if the file with header fields can't be used.
    init?(
        _ configuration: ServerConfiguration,
        program: String,
        version: String,
        _ logger: Logger
    ) throws(ConfigurationError) {
        guard let endpoint = configuration.traces.endpoint, let url = CollectorURL(endpoint) else {
            return nil
        }
        tracer = Tracer(
            SpanQueue(batchSpansMax: SpanExporter.batchSpansMax),
            ratio: configuration.traces.sampleRatio
        )
        exporter = SpanExporter(
            to: url,
            tracer,
            SpanEncoder(
                resourceAttributes: Self.resourceAttributes(
                    configuration.traces.serviceName ?? program,
                    version
                ),
                scopeVersion: StoreServerVersion.current
            ),
            headers: try configuration.collectorHeaders(),
            logger: logger
        )
        if url.exposesSpans, configuration.traces.headersFile != nil {
            logger.warning(
                .configurationExposed,
                "--otlp-headers-file: its fields go to \(url.text) without TLS"
            )
        }
    }

    /// Returns the tracing of the transport, which samples and records requests.
    func requestTracing(forgetsClients: Bool) -> RequestTracing {
        RequestSpans(tracer, forgetsClients: forgetsClients).tracing
    }

    /// Returns the tracing of a store, which records the spans of the store.
    func storeTracing(of store: String?, epoch: String) -> StoreTracing {
        let name = store.map { [Span.Attribute("store.name", $0)] } ?? []
        return StoreTracing(tracer, name + [.init("store.epoch", epoch)])
    }

    func start() { exporter.start() }

    /// Exports the waiting spans, and ends the exporter. After `seconds`, drops the spans that
    /// still wait. Call this function after ``start()``.
    func close(seconds: Double) { exporter.close(seconds: min(Self.stopSecondsMax, seconds)) }

    /// Returns the resource of the spans, by OpenTelemetry's conventions.
    private static func resourceAttributes(_ service: String, _ version: String) -> [Span.Attribute]
    {
        [
            .init("service.name", service),
            .init("service.version", version),
            .init("service.instance.id", UUIDKey.live()),
            .init("telemetry.sdk.name", "store-server"),
            .init("telemetry.sdk.language", "swift"),
            .init("telemetry.sdk.version", StoreServerVersion.current),
        ]
    }

    /// Applies new header fields and a new ratio; a new endpoint needs a new start. Returns a
    /// description of the changes for the log; `nil` if nothing changed. Throws if the file with
    /// header fields can't be used; the old settings then stay in force.
    func reload(_ configuration: ServerConfiguration) throws -> String? {
        let hasHeaders = exporter.setHeaders(try configuration.collectorHeaders())
        let hasRatio = tracer.setRatio(configuration.traces.sampleRatio)
        var changes: [String] = []
        if hasHeaders { changes.append("the header fields for the collector have changed") }
        if hasRatio {
            changes.append("\(configuration.traces.sampleRatio) of new traces are exported")
        }
        return changes.isEmpty ? nil : changes.joined(separator: "; ")
    }
}
