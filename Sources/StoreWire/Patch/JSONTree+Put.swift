import StoreTexts

extension JSONTree {
    /// Puts a value where a pointer leads: in the place of what is there, or as a new member or
    /// last element. Returns whether the pointer leads anywhere.
    package mutating func put(_ value: JSONTree, at pointer: JSONPointer) -> Bool {
        let path = pointer.tokens[...]
        return replace(value, at: path) || add(value, at: path)
    }

    /// The same value, written so that equal values have the same text: numbers by value, and
    /// members in the order in which `example` names them first.
    package func written(like example: JSONTree) -> [UInt8] {
        var places: [ExactText: Int] = [:]
        example.count(&places)
        var writer = JSONWriter(capacity: 1_024)
        ordered(places).write(to: &writer)
        return writer.array
    }

    /// Numbers the names of members as they come.
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

    /// The shortest text of a number's value, as far as a double is exact.
    private static func shortest(_ text: String) -> String {
        if let whole = Int64(text) { return String(whole) }
        guard let number = Double(text), number.magnitude < 0x1p53 else { return text }
        return Int64(exactly: number).map { String($0) } ?? String(number)
    }
}
