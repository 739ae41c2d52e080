package import StorePlatform

/// Writes metrics, one after the other, in one of the formats.
///
/// The name of a metric ends with its base unit, `_seconds` or `_bytes`, before the `_total` of a
/// counter. Durations are passed in nanoseconds.
package struct MetricsText {
    /// A value of a metric, and the labels that distinguish it from the other values.
    package struct Sample<Value> {
        package let labels: MetricLabels
        package let value: Value

        package init(_ labels: MetricLabels = [:], _ value: Value) {
            self.labels = labels
            self.value = value
        }
    }

    private let format: MetricsFormat
    private var lines = ""

    package init(_ format: MetricsFormat = .prometheus) {
        self.format = format
    }

    /// The whole text, to be read after the last metric.
    package var text: String { format == .openMetrics ? lines + "# EOF\n" : lines }

    /// Writes values that only grow. The name ends with `_total`.
    package mutating func counter<Value: CustomStringConvertible>(
        _ name: String,
        _ help: String,
        _ samples: [Sample<Value>]
    ) {
        head(name, help, "counter", without: "_total")
        for sample in samples { line(name, sample.labels, "\(sample.value)") }
    }

    /// Writes values that go up and down.
    package mutating func gauge<Value: CustomStringConvertible>(
        _ name: String,
        _ help: String,
        _ samples: [Sample<Value>]
    ) {
        head(name, help, "gauge")
        for sample in samples { line(name, sample.labels, "\(sample.value)") }
    }

    /// Writes texts, as labels of a value that is always 1. The name ends with `_info`.
    package mutating func info(_ name: String, _ help: String, _ texts: [MetricLabels]) {
        switch format {
        case .prometheus: head(name, help, "gauge")
        case .openMetrics: head(name, help, "info", without: "_info")
        }
        for labels in texts { line(name, labels, "1") }
    }

    /// Writes distributions. For a metric in seconds, the bounds and the sum are divided by 10⁹:
    /// they are nanoseconds here. Other metrics stay as they are.
    package mutating func histogram(
        _ name: String,
        _ help: String,
        _ samples: [Sample<Distribution>]
    ) {
        let unit = name.hasSuffix("_seconds") ? 1e9 : 1
        head(name, help, "histogram")
        for sample in samples {
            let (labels, distribution) = (sample.labels, sample.value)
            var count: UInt64 = 0
            let bounds = distribution.buckets.bounds.map { "\(Double($0) / unit)" } + ["+Inf"]
            for (bound, bucket) in zip(bounds, distribution.counts) {
                count += bucket
                line("\(name)_bucket", labels.adding(["le": bound]), "\(count)")
            }
            line("\(name)_sum", labels, "\(Double(distribution.sum) / unit)")
            line("\(name)_count", labels, "\(count)")
        }
    }

    private mutating func head(
        _ name: String,
        _ help: String,
        _ type: String,
        without suffix: String = ""
    ) {
        var family = name
        if format == .openMetrics, !suffix.isEmpty, name.hasSuffix(suffix) {
            family.removeLast(suffix.count)
        }
        lines += "# HELP \(family) \(help)\n# TYPE \(family) \(type)\n"
        guard format == .openMetrics else { return }
        for unit in ["seconds", "bytes"] where family.hasSuffix("_" + unit) {
            lines += "# UNIT \(family) \(unit)\n"
        }
    }

    private mutating func line(_ name: String, _ labels: MetricLabels, _ value: String) {
        lines += "\(name)\(labels.text) \(value)\n"
    }
}
