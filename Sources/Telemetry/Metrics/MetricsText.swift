import Texts

/// Writes metrics as Prometheus reads them (text format 0.0.4).
package struct MetricsText {
    /// Distinguishes the values of one metric.
    package typealias Labels = KeyValuePairs<String, String>

    package private(set) var text = ""

    package init() {}

    /// Values that only grow, each with its labels.
    package mutating func counter(
        _ name: String,
        _ help: String,
        _ values: [(labels: Labels, value: UInt64)]
    ) {
        write(name, help, "counter", values.map { (Self.list($0.labels), "\($0.value)") })
    }

    /// Values that go up and down, each with its labels.
    package mutating func gauge(
        _ name: String,
        _ help: String,
        _ values: [(labels: Labels, value: UInt64)]
    ) {
        write(name, help, "gauge", values.map { (Self.list($0.labels), "\($0.value)") })
    }

    /// A histogram for each of several names, which are the values of the label.
    package mutating func histogram(
        _ name: String,
        _ help: String,
        by label: String,
        _ durations: [(labels: Labels, Durations)]
    ) {
        head(name, help, "histogram")
        for (labels, durations) in durations {
            for (value, series) in durations.all {
                write(series, of: name, Self.list(labels) + [Self.pair(label, value)])
            }
        }
    }

    /// A histogram and two gauges of the effects of each kind, whose labels are `module` and
    /// `action`: how long they took, how many run, and the most that ran at the same time.
    package mutating func effects(
        durations: (name: String, help: String),
        running: (name: String, help: String),
        runningMax: (name: String, help: String),
        _ effects: [(labels: Labels, EffectTimes)]
    ) {
        let all = effects.flatMap { labels, times in
            times.all.map { kind, series in
                let own = [
                    Self.pair("module", kind.module.text), Self.pair("action", kind.action.text),
                ]
                return (labels: Self.list(labels) + own, series: series)
            }
        }
        head(durations.name, durations.help, "histogram")
        for (labels, series) in all { write(series.durations, of: durations.name, labels) }
        let gauges = [(running, \EffectTimes.Series.running), (runningMax, \.runningMax)]
        for (gauge, value) in gauges {
            write(
                gauge.name,
                gauge.help,
                "gauge",
                all.map { ($0.labels, "\($0.series[keyPath: value])") }
            )
        }
    }

    private mutating func write(
        _ series: Durations.Series,
        of name: String,
        _ labels: [String]
    ) {
        var count: UInt64 = 0
        for (bound, bucket) in zip(Durations.bounds, series.buckets) {
            count += bucket
            line("\(name)_bucket", labels + [Self.pair("le", Self.seconds(bound))], "\(count)")
        }
        line("\(name)_bucket", labels + [Self.pair("le", "+Inf")], "\(series.count)")
        line("\(name)_sum", labels, Self.seconds(series.nanoseconds))
        line("\(name)_count", labels, "\(series.count)")
    }

    private mutating func write(
        _ name: String,
        _ help: String,
        _ type: String,
        _ values: [(labels: [String], value: String)]
    ) {
        head(name, help, type)
        for (labels, value) in values { line(name, labels, value) }
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: [String], _ value: String) {
        let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        text += "\(name)\(list) \(value)\n"
    }

    private static func list(_ labels: Labels) -> [String] { labels.map { pair($0.key, $0.value) } }

    private static func pair(_ label: String, _ value: String) -> String {
        "\(label)=\"\(escaped(value))\""
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
