import StoreActionCatalog
import StoreAuthentication
import StoreTraceExport

// The export of traces.

extension ServerConfiguration {
    /// - Throws: `ConfigurationError` with the one line that names the first thing wrong.
    func checkTraces() throws(ConfigurationError) {
        if let otlpEndpoint, CollectorURL(otlpEndpoint) == nil {
            throw .value(
                otlpEndpoint,
                of: "--otlp-endpoint or OTEL_EXPORTER_OTLP_ENDPOINT",
                allowed: CollectorURL.allowed
            )
        }
        guard 0...1 ~= otlpSample else {
            throw .value("\(otlpSample)", of: "--otlp-sample", allowed: Self.allowedRatio)
        }
        if let otlpService, !Self.isServiceName(otlpService) {
            throw .value(otlpService, of: "--otlp-service", allowed: Self.serviceName)
        }
    }

    /// Reads the header fields for the collector.
    ///
    /// - Throws: where there is a file that can't be used. What is in it is not shown.
    func collectorHeaders() throws(ConfigurationError) -> ExportHeaders {
        guard let path = otlpHeadersFile else { return ExportHeaders() }
        do throws(CredentialFileError) {
            let file = try CredentialFile.read(path)
            try file.checkSecret()
            do throws(ExportHeaders.Problem) { return try ExportHeaders(file.bytes) } catch {
                throw CredentialFileError(path, error.description)
            }
        } catch {
            throw ConfigurationError("--otlp-headers-file: \(error.description)")
        }
    }
}
