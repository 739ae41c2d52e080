/// Labels that distinguish the values of one metric: names and values, in their order.
package struct MetricLabels: Sendable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, value: String)]

    package init(dictionaryLiteral elements: (String, String)...) {
        pairs = elements.map { ($0, $1) }
    }

    /// Returns these labels with others after them.
    package func adding(_ others: MetricLabels) -> MetricLabels {
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
