/// The samples of a server's metrics, read from Prometheus' text format (0.0.4).
struct MetricsReading {
    private struct Sample {
        let name: Substring
        let labels: [String: String]
        let value: Double
    }

    private let samples: [Sample]

    /// Reads the samples, and ignores the lines without a sample.
    init(_ text: String) {
        samples = text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            Self.sample(Substring(line))
        }
    }

    /// Returns the sum of all samples with this name; `nil` if there are none.
    func sum(_ name: String) -> Double? { Self.sum(samples.filter { $0.name == name }) }

    /// Returns the sum of all samples with this name and this value of the label. If `value` is
    /// `nil`, returns the sum of the samples without the label. Returns `nil` if there are none.
    func sum(_ name: String, _ label: String, _ value: String?) -> Double? {
        Self.sum(samples.filter { $0.name == name && $0.labels[label] == value })
    }

    /// Returns the value of a label in the first sample with this name and this store.
    func label(_ label: String, of name: String, _ store: String? = nil) -> String? {
        samples.first { $0.name == name && $0.labels["store"] == store }?.labels[label]
    }

    /// Finds the sample of this name with the greatest value. Returns the value of a label in this
    /// sample, and the sample's value. Returns `nil` if there is no such sample, or if it does not
    /// have the label.
    func greatestSample(of name: String, by label: String) -> (label: String, value: Double)? {
        samples.filter { $0.name == name }.max { $0.value < $1.value }.flatMap { sample in
            sample.labels[label].map { ($0, sample.value) }
        }
    }

    /// The values of the label `store` in the samples of `store_version`. A single store has no
    /// label, so its element is `nil`.
    var storeLabels: [String?] {
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

    /// Reads labels such as `name="value",…}`. A value may have the escapes `\\`, `\"` and `\n`.
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
