import StoreActionCatalog
import StoreAuthentication
import StoreCommandLine
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

// Options

extension ServerConfiguration {
    /// The options about the export of traces.
    static let traceOptions: [Option] = [
        Option(
            name: "otlp-endpoint",
            placeholder: "URL",
            help:
                "export traces to this collector, by OTLP over HTTP: http://127.0.0.1:4318, or off",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    guard value == "off" || CollectorURL(value) != nil else {
                        throw .value(value, of: origin, allowed: CollectorURL.allowed + "; or off")
                    }
                    configuration.otlpEndpoint = value == "off" ? nil : value
                }
            },
            show: { [$0.otlpEndpoint ?? "off"] }
        ),
        .file(
            "otlp-headers-file",
            \.otlpHeadersFile,
            help: "header fields for the collector, such as Authorization, a line for each; "
                + "SIGHUP reads it again"
        ),
        Option(
            name: "otlp-sample",
            placeholder: "RATIO",
            help: "how many of all new traces are exported, 0 to 1; SIGHUP reads it again",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    guard let ratio = Double(value), 0...1 ~= ratio else {
                        throw .value(value, of: origin, allowed: allowedRatio)
                    }
                    configuration.otlpSample = ratio
                }
            },
            show: { ["\($0.otlpSample)"] }
        ),
        .text(
            "otlp-service",
            "NAME",
            \.otlpService,
            help: "the service.name of the traces, without it the program's name",
            check: { isServiceName($0) ? nil : serviceName }
        ),
    ]

    static let allowedRatio = "a number from 0 to 1, such as 0.1"
    static let serviceName = "1 to 255 bytes of text"

    static func isServiceName(_ text: String) -> Bool { 1...255 ~= text.utf8.count }
}
