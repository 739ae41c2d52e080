/// Writes metrics as Prometheus reads them (text format 0.0.4).
package struct MetricsText {
    package private(set) var text = ""

    package init() {}

    /// One value that only grows.
    package mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
        head(name, help, "counter")
        text += "\(name) \(value)\n"
    }

    /// One value that goes up and down.
    package mutating func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) {
        head(name, help, "gauge")
        text += "\(name) \(value)\n"
    }

    /// Several values that only grow, told apart by a label.
    package mutating func counters(
        _ name: String,
        _ help: String,
        by label: String,
        _ values: KeyValuePairs<String, UInt64>
    ) {
        head(name, help, "counter")
        for (value, count) in values { text += "\(name){\(label)=\"\(value)\"} \(count)\n" }
    }

    /// A histogram for each of several names.
    package mutating func histogram(
        _ name: String,
        _ help: String,
        by label: String,
        _ durations: Durations
    ) {
        head(name, help, "histogram")
        for (value, series) in durations.all {
            let label = "\(label)=\"\(Self.escaped(value))\""
            var count: UInt64 = 0
            for (bound, bucket) in zip(Durations.bounds, series.buckets) {
                count += bucket
                text += "\(name)_bucket{\(label),le=\"\(Self.seconds(bound))\"} \(count)\n"
            }
            text += "\(name)_bucket{\(label),le=\"+Inf\"} \(series.count)\n"
            text += "\(name)_sum{\(label)} \(Self.seconds(series.nanoseconds))\n"
            text += "\(name)_count{\(label)} \(series.count)\n"
        }
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        "\(Double(nanoseconds) / 1_000_000_000)"
    }

    private static func escaped(_ label: String) -> String {
        var text = ""
        for character in label.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
