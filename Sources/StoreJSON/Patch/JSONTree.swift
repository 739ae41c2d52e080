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
        case (.string(let a), .string(let b)): return ExactText(a) == ExactText(b)
        case (.array(let a), .array(let b)): return a == b
        case (.object(let a), .object(let b)):
            let others = Dictionary(b.map { (ExactText($0.name), $0.value) }) { first, _ in first }
            return a.count == b.count && a.allSatisfy { others[ExactText($0.name)] == $0.value }
        default: return false
        }
    }
}

// Changed and sorted trees

extension JSONTree {
    /// Puts a value at the place of a pointer. The value replaces the present value, or becomes a
    /// new member or the last element. Returns false if the pointer leads nowhere.
    package mutating func put(_ value: JSONTree, at pointer: JSONPointer) -> Bool {
        let path = pointer.tokens[...]
        return replace(value, at: path) || add(value, at: path)
    }

    /// Returns the JSON text of this value in a uniform spelling. Numbers have their shortest text.
    /// Members have the order in which `example` has their names first; other members follow,
    /// sorted by name.
    package func written(like example: JSONTree) -> [UInt8] {
        var places: [ExactText: Int] = [:]
        example.count(&places)
        var writer = JSONWriter(capacity: 1_024)
        ordered(places).write(to: &writer)
        return writer.array
    }

    /// Numbers the names of members in the order of their first appearance.
    private func count(_ places: inout [ExactText: Int]) {
        switch self {
        case .literal, .string: break
        case .array(let elements):
            for element in elements { element.count(&places) }
        case .object(let members):
            for (name, value) in members {
                if places[ExactText(name)] == nil { places[ExactText(name)] = places.count }
                value.count(&places)
            }
        }
    }

    private func ordered(_ places: [ExactText: Int]) -> JSONTree {
        switch self {
        case .string: self
        case .literal(let text): .literal(Self.shortest(text))
        case .array(let elements): .array(elements.map { $0.ordered(places) })
        case .object(let members):
            .object(
                members.map { ($0.name, $0.value.ordered(places)) }.sorted {
                    let (a, b) = (places[ExactText($0.name)], places[ExactText($1.name)])
                    return (a ?? .max, ExactText($0.name)) < (b ?? .max, ExactText($1.name))
                }
            )
        }
    }

    /// Returns the shortest text of a number. A number of magnitude 2^53 or more that does not fit
    /// into an `Int64` keeps its text.
    private static func shortest(_ text: String) -> String {
        if let whole = Int64(text) { return String(whole) }
        guard let number = Double(text), number.magnitude < 0x1p53 else { return text }
        return Int64(exactly: number).map { String($0) } ?? String(number)
    }
}
