/// Metrics in Prometheus' text form (0.0.4), as far as `status` reads them.
struct MetricsReading {
    private struct Sample {
        let name: Substring
        let labels: [String: String]
        let value: Double
    }

    private let samples: [Sample]

    /// Reads the samples among the lines, and ignores all other lines.
    init(_ text: String) {
        samples = text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            Self.sample(Substring(line))
        }
    }

    /// Returns the sum of all samples of a name; `nil` if there are none.
    func sum(_ name: String) -> Double? { Self.sum(samples.filter { $0.name == name }) }

    /// Returns the sum of the samples that have a label with this value, or, for `nil`, that do not
    /// have the label.
    func sum(_ name: String, _ label: String, _ value: String?) -> Double? {
        Self.sum(samples.filter { $0.name == name && $0.labels[label] == value })
    }

    /// Returns the value of a label in the first sample with this name and store.
    func label(_ label: String, of name: String, _ store: String? = nil) -> String? {
        samples.first { $0.name == name && $0.labels["store"] == store }?.labels[label]
    }

    /// Finds the greatest value among the samples of a name. Returns the label's value in that
    /// sample, and the greatest value; `nil` if there is no sample.
    func greatest(_ name: String, by label: String) -> (label: String, value: Double)? {
        samples.filter { $0.name == name }.max { $0.value < $1.value }.flatMap { sample in
            sample.labels[label].map { ($0, sample.value) }
        }
    }

    /// The labels of the stores that have a version. A single store has no label, so its element is
    /// `nil`.
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
