/// Distinguishes the values of one metric: names and values, in their order.
package struct MetricLabels: Sendable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, value: String)]

    package init(dictionaryLiteral elements: (String, String)...) {
        pairs = elements.map { ($0, $1) }
    }

    /// These, and others behind them.
    package func adding(_ others: MetricLabels) -> MetricLabels {
        var labels = self
        labels.pairs += others.pairs
        return labels
    }

    /// As they stand behind the name of a metric, the braces included; empty where there are none.
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
