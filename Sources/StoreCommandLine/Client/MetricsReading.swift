/// Metrics in Prometheus' text form (0.0.4), as far as `status` reads them.
struct MetricsReading {
    private struct Sample {
        let name: Substring
        let labels: [String: String]
        let value: Double
    }

    private var samples: [Sample] = []

    init() {}

    /// Reads the lines that are samples; others, and what is none, are left out.
    init(_ text: String) {
        samples = text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            Self.sample(Substring(line))
        }
    }

    /// The sum of all samples of a name; `nil` where there is none.
    func sum(_ name: String) -> Double? {
        Self.sum(samples.filter { $0.name == name })
    }

    /// The sum of those that have a label of this value; of those that do not have it, for `nil`.
    func sum(_ name: String, _ label: String, _ value: String?) -> Double? {
        Self.sum(samples.filter { $0.name == name && $0.labels[label] == value })
    }

    /// The value of a label in the first sample of a name, and of a store.
    func label(_ label: String, of name: String, _ store: String? = nil) -> String? {
        samples.first { $0.name == name && $0.labels["store"] == store }?.labels[label]
    }

    /// The value of a label in the sample of a name that has the greatest value, with that value;
    /// `nil` where there is none.
    func greatest(_ name: String, by label: String) -> (label: String, value: Double)? {
        samples.filter { $0.name == name }.max { $0.value < $1.value }.flatMap { sample in
            sample.labels[label].map { ($0, sample.value) }
        }
    }

    /// The stores that have a version, by their labels; one without where there is one alone.
    var stores: [String?] {
        samples.filter { $0.name == "store_version" }.map { $0.labels["store"] }
    }

    private static func sum(_ found: [Sample]) -> Double? {
        found.isEmpty ? nil : found.reduce(0) { $0 + $1.value }
    }

    private static func sample(_ line: Substring) -> Sample? {
        guard !line.hasPrefix("#"), let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...])
        else { return nil }
        let head = line[..<space]
        guard let brace = head.firstIndex(of: "{") else {
            return Sample(name: head, labels: [:], value: value)
        }
        return Sample(
            name: head[..<brace],
            labels: labels(head[head.index(after: brace)...]),
            value: value
        )
    }

    /// Reads `name="value",…}`, with `\\`, `\"` and `\n` in values.
    private static func labels(_ text: Substring) -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "="), rest[equals...].dropFirst().first == "\"" {
            let name = String(rest[..<equals].drop { $0 == "," })
            rest = rest[equals...].dropFirst(2)
            var value = ""
            while let character = rest.popFirst(), character != "\"" {
                guard character == "\\" else {
                    value.append(character)
                    continue
                }
                let escaped = rest.popFirst() ?? "\\"
                value.append(escaped == "n" ? "\n" : escaped)
            }
            labels[name] = value
        }
        return labels
    }
}
