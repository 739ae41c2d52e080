import StoreTexts

/// The difference of two JSON values, member by member. Lines with − have old values, and lines
/// with + have new values.
///
/// ```text
///   /counter
/// −   "count": 2
/// +   "count": 1
/// ```
///
/// A line with the pointer (RFC 6901) to an object or array precedes the lines of its members or
/// elements. The root has no such line. The elements of an array have their index in place of a
/// name.
package struct JSONDifference {
    /// The maximum number of lines. If there are more lines, an additional last line has the number
    /// of omitted lines.
    package static let linesMax = 60
    /// The maximum number of characters of a value. If a value is longer, the lines have only the
    /// text around the first difference.
    package static let valueCharactersMax = 300

    private var lines: [String] = []
    private var omittedCount = 0

    /// Returns the lines of the difference. The result is empty if the values are equal, or differ
    /// only in the order of members.
    package static func lines(from old: JSONNode, to new: JSONNode) -> [String] {
        var difference = JSONDifference()
        if old.kind == new.kind, old.kind == .object || old.kind == .array {
            difference.compare(old, new, at: .root)
        } else if !old.hasSameSource(as: new) {
            difference.addLines(nil, old, new)
        }
        if difference.omittedCount > 0 {
            difference.lines.append("  … and \(difference.omittedCount) more lines")
        }
        return difference.lines
    }

    // Comparing

    private typealias ChildChange = (name: String, old: JSONNode?, new: JSONNode?)

    /// Adds the differences of two objects or of two arrays.
    private mutating func compare(_ old: JSONNode, _ new: JSONNode, at place: JSONPointer) {
        let parts = old.kind == .object ? changedMembers(old, new) : changedElements(old, new)
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
            addLines(isArray ? name : JSONText.quoted(name), old, new)
        }
        for (name, old, new) in deeper { compare(old, new, at: place.appending(name)) }
    }

    /// Returns the members that differ: first changed and removed members in the order of the old
    /// object, then added members.
    private func changedMembers(_ old: JSONNode, _ new: JSONNode) -> [ChildChange] {
        var added: [ExactText: JSONNode] = [:]
        for (name, value) in new.members { added[ExactText(name)] = value }
        var parts: [ChildChange] = []
        for (name, value) in old.members {
            let other = added.removeValue(forKey: ExactText(name))
            if other.map(value.hasSameSource) != true { parts.append((name, value, other)) }
        }
        for (name, value) in new.members where added[ExactText(name)] != nil {
            parts.append((name, nil, value))
        }
        return parts
    }

    /// Returns the elements that differ. If both arrays have the same length, elements with the
    /// same index are pairs. Otherwise each element is either removed or inserted.
    private func changedElements(_ old: JSONNode, _ new: JSONNode) -> [ChildChange] {
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

    private mutating func addLines(_ name: String?, _ old: JSONNode?, _ new: JSONNode?) {
        let label = name.map { $0 + ": " } ?? ""
        let (oldText, newText) = Self.shortened(old?.sourceText, new?.sourceText)
        if let oldText { add("−   \(label)\(oldText)") }
        if let newText { add("+   \(label)\(newText)") }
    }

    private mutating func add(_ line: String) {
        if lines.count < Self.linesMax { lines.append(line) } else { omittedCount += 1 }
    }

    /// Cuts two values if one of them is longer than ``valueCharactersMax``. The results begin at
    /// most 40 characters before the first difference.
    private static func shortened(_ old: String?, _ new: String?) -> (String?, String?) {
        let longest = max(old?.count ?? 0, new?.count ?? 0)
        guard longest > valueCharactersMax else { return (old, new) }
        let same = zip(old ?? "", new ?? "").prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let dropped = max(0, same - 40)
        func part(_ text: String) -> String {
            let rest = text.dropFirst(dropped)
            return (dropped > 0 ? "…" : "") + rest.prefix(valueCharactersMax)
                + (rest.count > valueCharactersMax ? "…" : "")
        }
        return (old.map(part), new.map(part))
    }
}
