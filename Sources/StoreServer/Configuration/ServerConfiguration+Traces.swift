import StoreActionCatalog
import StoreAuthentication
import StoreTraceExport

// The export of traces.

extension ServerConfiguration {
    /// Refuses options about traces that can't be used.
    ///
    /// - Throws: `ConfigurationError`, whose message has one line about the first mistake.
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
    /// - Throws: `ConfigurationError` if there is a file that can't be used. The message does not
    ///   contain the content of the file.
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
