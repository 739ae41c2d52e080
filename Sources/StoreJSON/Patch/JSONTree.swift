import StoreTexts

/// A JSON value as a Swift value that patches can change.
///
/// Tests and tools use trees. The server writes patches, but never applies them.
package indirect enum JSONTree: Sendable {
    /// The JSON text of a number, or `true`, `false` or `null`.
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
    /// Returns true if both values are equal by RFC 6902 §4.6: the order of members is ignored, and
    /// numbers are compared by value.
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
    /// Sets the value at a pointer. If there is no value at the pointer, adds a new member or a new
    /// last element. Returns false if the object or array for the new value is missing, or cannot
    /// hold the value.
    package mutating func put(_ value: JSONTree, at pointer: JSONPointer) -> Bool {
        let path = pointer.tokens[...]
        return replace(value, at: path) || add(value, at: path)
    }

    /// Returns the JSON text of this value in a uniform spelling. Members have the order in which
    /// their names first appear in `example`. Members without a name in `example` follow, sorted by
    /// name.
    package func uniformJSON(orderedLike example: JSONTree) -> [UInt8] {
        var places: [ExactText: Int] = [:]
        example.addNameOrder(to: &places)
        var writer = JSONWriter(capacity: 1_024)
        uniformTree(places).write(to: &writer)
        return writer.byteArray
    }

    /// Gives each new name of a member the next number, in the order of first appearance.
    private func addNameOrder(to places: inout [ExactText: Int]) {
        switch self {
        case .literal, .string: break
        case .array(let elements):
            for element in elements { element.addNameOrder(to: &places) }
        case .object(let members):
            for (name, value) in members {
                if places[ExactText(name)] == nil { places[ExactText(name)] = places.count }
                value.addNameOrder(to: &places)
            }
        }
    }

    private func uniformTree(_ places: [ExactText: Int]) -> JSONTree {
        switch self {
        case .string: self
        case .literal(let text): .literal(Self.uniformNumber(text))
        case .array(let elements): .array(elements.map { $0.uniformTree(places) })
        case .object(let members):
            .object(
                members.map { ($0.name, $0.value.uniformTree(places)) }.sorted {
                    let (a, b) = (places[ExactText($0.name)], places[ExactText($1.name)])
                    return (a ?? .max, ExactText($0.name)) < (b ?? .max, ExactText($1.name))
                }
            )
        }
    }

    /// Returns the text of a number as Swift writes its value: `100` for `1e2` and `1.0e2`. A
    /// number of magnitude 2^53 or more keeps its text.
    private static func uniformNumber(_ text: String) -> String {
        if let whole = Int64(text) { return String(whole) }
        guard let number = Double(text), number.magnitude < 0x1p53 else { return text }
        return Int64(exactly: number).map { String($0) } ?? String(number)
    }
}
