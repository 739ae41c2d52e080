import StoreTexts

/// The difference of two values, member by member, as lines that begin with − or +.
///
/// ```text
///   /counter
/// −   "count": 2
/// +   "count": 1
/// ```
///
/// Each part with differences begins with a line for its pointer (RFC 6901). The members that
/// differ follow. The elements of an array are shown under their index.
package struct JSONDifference {
    /// The maximum number of lines. If there are more, a last line has the number of omitted lines.
    package static let linesMax = 60
    /// The maximum number of characters of a value. If a value is longer, only its differing part
    /// is shown.
    package static let charactersMax = 300

    private var lines: [String] = []
    private var left = 0

    /// Returns the lines; none if the values differ at most in the order of members.
    package static func lines(from old: JSONNode, to new: JSONNode) -> [String] {
        var difference = JSONDifference()
        if old.kind == new.kind, old.kind == .object || old.kind == .array {
            difference.compare(old, new, at: .root)
        } else if !old.hasSameSource(as: new) {
            difference.pair(nil, old, new)
        }
        if difference.left > 0 { difference.lines.append("  … and \(difference.left) more lines") }
        return difference.lines
    }

    // Walking

    private typealias Part = (name: String, old: JSONNode?, new: JSONNode?)

    /// Adds the differences of two objects or of two arrays.
    private mutating func compare(_ old: JSONNode, _ new: JSONNode, at place: JSONPointer) {
        let parts = old.kind == .object ? members(old, new) : elements(old, new)
        var deeper: [(String, JSONNode, JSONNode)] = []
        let isArray = old.kind == .array
        var isNamed = place == .root
        for (name, old, new) in parts {
            if let old, let new, old.kind == new.kind, old.kind == .object || old.kind == .array {
                deeper.append((name, old, new))
                continue
            }
            if !isNamed { add("  \(place)") }
            isNamed = true
            pair(isArray ? name : JSONText.quoted(name), old, new)
        }
        for (name, old, new) in deeper { compare(old, new, at: place.appending(name)) }
    }

    /// Returns the members that differ: first those of the old object in its order, then the added
    /// members.
    private func members(_ old: JSONNode, _ new: JSONNode) -> [Part] {
        var added: [ExactText: JSONNode] = [:]
        for (name, value) in new.members { added[ExactText(name)] = value }
        var parts: [Part] = []
        for (name, value) in old.members {
            let other = added.removeValue(forKey: ExactText(name))
            if other.map(value.hasSameSource) != true { parts.append((name, value, other)) }
        }
        for (name, value) in new.members where added[ExactText(name)] != nil {
            parts.append((name, nil, value))
        }
        return parts
    }

    /// Returns the elements that differ: as pairs if both arrays have the same length, otherwise as
    /// removed and inserted elements.
    private func elements(_ old: JSONNode, _ new: JSONNode) -> [Part] {
        let (old, new) = (old.elements, new.elements)
        if old.count == new.count {
            return old.indices.filter { !old[$0].hasSameSource(as: new[$0]) }
                .map { ("\($0)", old[$0], new[$0]) }
        }
        let texts = [old, new].map { $0.map { ExactText($0.sourceText) } }
        let change = texts[1].difference(from: texts[0])
        return (change.removals + change.insertions).map { change in
            switch change {
            case .remove(let index, _, _): ("\(index)", old[index], nil)
            case .insert(let index, _, _): ("\(index)", nil, new[index])
            }
        }
    }

    // Writing

    private mutating func pair(_ name: String?, _ old: JSONNode?, _ new: JSONNode?) {
        let label = name.map { $0 + ": " } ?? ""
        let (oldText, newText) = Self.cut(old?.sourceText, new?.sourceText)
        if let oldText { add("−   \(label)\(oldText)") }
        if let newText { add("+   \(label)\(newText)") }
    }

    private mutating func add(_ line: String) {
        if lines.count < Self.linesMax { lines.append(line) } else { left += 1 }
    }

    /// Cuts values longer than ``charactersMax`` to the part that differs, with at most 40
    /// characters before it.
    private static func cut(_ old: String?, _ new: String?) -> (String?, String?) {
        let longest = max(old?.count ?? 0, new?.count ?? 0)
        guard longest > charactersMax else { return (old, new) }
        let same = zip(old ?? "", new ?? "").prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let dropped = max(0, same - 40)
        func part(_ text: String) -> String {
            let rest = text.dropFirst(dropped)
            return (dropped > 0 ? "…" : "") + rest.prefix(charactersMax)
                + (rest.count > charactersMax ? "…" : "")
        }
        return (old.map(part), new.map(part))
    }
}
