import StoreTexts

/// A document as a value that patches can change.
///
/// Meant for tests and tools; the server writes patches and never applies them.
package indirect enum JSONTree: Sendable {
    /// A number with its source text, or `true`, `false` or `null`.
    case literal(String)
    case string(String)
    case array([JSONTree])
    case object([(name: String, value: JSONTree)])

    package init(_ node: JSONNode) {
        switch node.kind {
        case .object: self = .object(node.members.map { ($0.name, JSONTree($0.value)) })
        case .array: self = .array(node.elements.map { JSONTree($0) })
        case .string: self = .string(node.stringValue ?? "")
        default: self = .literal(node.sourceText)
        }
    }

    package func write(to writer: inout JSONWriter) {
        switch self {
        case .literal(let text): writer.raw(Array(text.utf8))
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.array { for element in elements { element.write(to: &$0) } }
        case .object(let members):
            writer.object {
                for (name, value) in members {
                    $0.key(name)
                    value.write(to: &$0)
                }
            }
        }
    }
}

extension JSONTree: Equatable {
    /// True if both are equal by RFC 6902 §4.6: objects in any order of their members, numbers by
    /// value.
    package static func == (a: JSONTree, b: JSONTree) -> Bool {
        switch (a, b) {
        case (.literal(let a), .literal(let b)):
            if a == b { return true }
            guard let a = DecimalNumber(a), let b = DecimalNumber(b) else { return false }
            return a == b
        case (.string(let a), .string(let b)):
            return ExactText(a) == ExactText(b)
        case (.array(let a), .array(let b)):
            return a == b
        case (.object(let a), .object(let b)):
            let others = Dictionary(b.map { (ExactText($0.name), $0.value) }) { first, _ in first }
            return a.count == b.count && a.allSatisfy { others[ExactText($0.name)] == $0.value }
        default:
            return false
        }
    }
}
