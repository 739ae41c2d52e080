import StorePlatform

/// Writes metrics, one after the other, in one of the formats.
///
/// The base unit of a metric, `_seconds` or `_bytes`, is at the end of the name. In a counter's
/// name, `_total` follows the unit. Distributions of durations are passed in nanoseconds.
struct MetricsWriter {
    private let format: MetricsFormat
    private var lines = ""

    init(_ format: MetricsFormat) { self.format = format }

    /// The whole text, to be read after the last metric.
    var text: String { format == .openMetrics ? lines + "# EOF\n" : lines }

    /// Writes a metric with its values.
    mutating func write(
        _ kind: MetricKind,
        _ name: String,
        _ help: String,
        _ values: Metric.Values<any MetricValue>
    ) {
        appendHead(kind, name, help)
        for (labels, value) in values {
            if let distribution = value as? Distribution {
                write(distribution, of: name, labels)
            } else {
                appendLine(name, labels, "\(value)")
            }
        }
    }

    /// Writes a distribution. For a metric in seconds, divides the bounds and the sum, which are in
    /// nanoseconds, by 10⁹. Does not change the numbers of other metrics.
    private mutating func write(
        _ distribution: Distribution,
        of name: String,
        _ labels: MetricLabels
    ) {
        let unit = name.hasSuffix("_seconds") ? 1e9 : 1
        var count: UInt64 = 0
        let bounds = distribution.buckets.bounds.map { "\(Double($0) / unit)" } + ["+Inf"]
        for (bound, bucket) in zip(bounds, distribution.countsByBucket) {
            count += bucket
            appendLine("\(name)_bucket", labels.adding(["le": bound]), "\(count)")
        }
        appendLine("\(name)_sum", labels, "\(Double(distribution.sum) / unit)")
        appendLine("\(name)_count", labels, "\(count)")
    }

    private mutating func appendHead(_ kind: MetricKind, _ name: String, _ help: String) {
        guard format == .openMetrics else {
            let type = kind == .info ? MetricKind.gauge : kind
            lines += "# HELP \(name) \(help)\n# TYPE \(name) \(type.rawValue)\n"
            return
        }
        var family = name
        for suffix in ["_total", "_info"] where name.hasSuffix(suffix) {
            family.removeLast(suffix.count)
        }
        lines += "# HELP \(family) \(help)\n# TYPE \(family) \(kind.rawValue)\n"
        for unit in ["seconds", "bytes"] where family.hasSuffix("_" + unit) {
            lines += "# UNIT \(family) \(unit)\n"
        }
    }

    private mutating func appendLine(_ name: String, _ labels: MetricLabels, _ value: String) {
        lines += "\(name)\(labels.text) \(value)\n"
    }
}

/// The kind of a metric.
enum MetricKind: String, Sendable {
    /// Values that only grow. The name ends with `_total`.
    case counter
    /// Values that go up and down.
    case gauge
    /// A value that is always 1, with texts as its labels. The name ends with `_info`.
    case info
    /// Distributions.
    case histogram
}

/// A value of a metric: a number, or the distribution of a histogram.
protocol MetricValue: Sendable {}

extension Int: MetricValue {}
extension UInt64: MetricValue {}
extension Double: MetricValue {}
extension Distribution: MetricValue {}

/// Labels that distinguish the values of one metric: names and values, in their order.
package struct MetricLabels: Sendable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, value: String)]

    package init(dictionaryLiteral elements: (String, String)...) {
        pairs = elements.map { ($0, $1) }
    }

    /// Returns these labels, followed by further labels.
    func adding(_ others: MetricLabels) -> MetricLabels {
        var labels = self
        labels.pairs += others.pairs
        return labels
    }

    /// The text after the name of a metric, with braces; empty if there are no labels.
    var text: String {
        if pairs.isEmpty { return "" }
        let list = pairs.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        return "{" + list.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

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
    /// OpenMetrics if the field gives OpenMetrics at least the weight of plain text, else
    /// Prometheus's format.
    ///
    /// OpenMetrics of a version other than 1.0.0 is ignored. A range such as `*/*` counts as plain
    /// text.
    package init(accepting accept: String?) {
        var openMetricsWeight = 0.0
        var plainTextWeight = 0.0
        for item in (accept ?? "").split(separator: ",") {
            let parts = item.split(separator: ";").map {
                $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
            }
            let parameters = parts.dropFirst()
            let weight = parameters.first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            let version = parameters.first { $0.hasPrefix("version=") }
            switch parts.first {
            case "application/openmetrics-text" where version ?? "version=1.0.0" == "version=1.0.0":
                openMetricsWeight = max(openMetricsWeight, weight ?? 1)
            case "text/plain", "text/*", "*/*": plainTextWeight = max(plainTextWeight, weight ?? 1)
            default: break
            }
        }
        self =
            openMetricsWeight > 0 && openMetricsWeight >= plainTextWeight
            ? .openMetrics : .prometheus
    }
}
