/// The format of metrics.
package enum MetricsFormat: Sendable {
    /// Prometheus's text format 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0: the same samples, with the units of metrics and an end mark.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// Chooses a format by the client's `Accept` field (RFC 9110 §12.5.1). The format is
    /// OpenMetrics if the field names it with no lower weight than plain text, else Prometheus's.
    ///
    /// OpenMetrics of a version other than 1.0.0 is ignored. A range such as `*/*` counts as plain
    /// text.
    package init(accepting accept: String?) {
        var open = 0.0
        var plain = 0.0
        for item in (accept ?? "").split(separator: ",") {
            let parts = item.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
            }
            let parameters = parts.dropFirst()
            let weight = parameters.first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            let version = parameters.first { $0.hasPrefix("version=") }
            switch parts.first {
            case "application/openmetrics-text" where version ?? "version=1.0.0" == "version=1.0.0":
                open = max(open, weight ?? 1)
            case "text/plain", "text/*", "*/*": plain = max(plain, weight ?? 1)
            default: break
            }
        }
        self = open > 0 && open >= plain ? .openMetrics : .prometheus
    }
}
