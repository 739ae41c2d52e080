import StoreTexts

extension JSONPointer {
    /// The number of names from which on a value's children are listed once, instead of searched
    /// for each name.
    private static let listedMin = 5

    /// Returns the value that each pointer leads to from `node`, or `nil` if it leads nowhere.
    ///
    /// Cost: one pass over the children of each value on the way. If fewer than five names are
    /// looked for in a value, the cost is a search for each name.
    package static func find(_ pointers: [JSONPointer], from node: JSONNode) -> [JSONNode?] {
        var found = [JSONNode?](repeating: nil, count: pointers.count)
        find(pointers.indices.map { ($0, pointers[$0].tokens[...]) }, from: node, &found)
        return found
    }

    /// The rest of a pointer, and the index of that pointer.
    private typealias Way = (pointer: Int, rest: ArraySlice<String>)

    private static func find(_ ways: [Way], from node: JSONNode, _ found: inout [JSONNode?]) {
        var onwards: [ExactText: [Way]] = [:]
        for way in ways {
            if let token = way.rest.first {
                onwards[ExactText(token), default: []].append((way.pointer, way.rest.dropFirst()))
            } else {
                found[way.pointer] = node
            }
        }
        guard onwards.count >= listedMin else {
            for (name, ways) in onwards {
                let step = JSONPointer(tokens: [name.text])
                if let child = step.find(from: node) { find(ways, from: child, &found) }
            }
            return
        }
        let elements = node.elements
        for (name, ways) in onwards {
            guard let index = index(name.text), elements.indices.contains(index) else { continue }
            find(ways, from: elements[index], &found)
        }
        for (name, child) in node.members {
            if let ways = onwards[ExactText(name)] { find(ways, from: child, &found) }
        }
    }
}
