import Glibc

package enum ProcessEnvironment {
    package static var variables: [String: String] {
        var found: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let pair = String(cString: entry).split(separator: "=", maxSplits: 1)
            if let name = pair.first { found[String(name)] = pair.count > 1 ? String(pair[1]) : "" }
            next += 1
        }
        return found
    }
}

/// The settings from OpenTelemetry's own variables, which the operator of a cluster sets for all
/// programs. The options of the server take precedence over these settings.
///
/// <https://opentelemetry.io/docs/specs/otel/protocol/exporter/>
package struct OpenTelemetryVariables: Sendable, Equatable {
    /// The URL for traces (`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, `OTEL_EXPORTER_OTLP_ENDPOINT`).
    /// The value is `nil` if the variables name no endpoint, turn traces off, or select a protocol
    /// other than HTTP.
    package let endpoint: String?
    /// The name of the service (`OTEL_SERVICE_NAME`).
    package let serviceName: String?

    package init(_ environment: [String: String]) {
        // An empty variable counts as absent.
        func value(_ name: String) -> String? {
            environment["OTEL_" + name].flatMap { $0.isEmpty ? nil : $0 }
        }
        serviceName = value("SERVICE_NAME")
        let protocolName = value("EXPORTER_OTLP_TRACES_PROTOCOL") ?? value("EXPORTER_OTLP_PROTOCOL")
        let isWanted =
            value("SDK_DISABLED")?.lowercased() != "true"
            && value("TRACES_EXPORTER") ?? "otlp" == "otlp"
            && protocolName?.hasPrefix("http/") ?? true
        endpoint =
            isWanted
            ? value("EXPORTER_OTLP_TRACES_ENDPOINT") ?? value("EXPORTER_OTLP_ENDPOINT") : nil
    }
}
