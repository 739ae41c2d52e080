import StoreTexts

/// Finds the elements that two arrays have in common, by a member that names each element: `id`.
///
/// The elements that keep their order are the longest increasing subsequence of their places (C.
/// Schensted, "Longest increasing and decreasing subsequences", 1961). The search takes n log n
/// steps, for any number of moved elements.
enum KeyedElements {
    /// The member that names an element: a text or a whole number.
    static let keyName = "id"

    /// Returns a gap for each element that stays: in either array, the number of elements between
    /// the preceding such element and this one. Elements in a gap were removed, added or moved.
    ///
    /// Returns `nil` if an element has no key, or if two elements of one array have the same key.
    /// The caller then compares the elements by their content.
    static func gaps(between old: [JSONNode], and new: [JSONNode]) -> [(old: Int, new: Int)]? {
        guard let first = old.first, key(of: first) != nil, let oldKeys = keys(of: old),
            let newKeys = keys(of: new)
        else { return nil }
        let places = Dictionary(zip(oldKeys, oldKeys.indices)) { first, _ in first }
        let shared = newKeys.indices.compactMap { new in
            places[newKeys[new]].map { (old: $0, new: new) }
        }
        return SharedElements.gaps(around: longestInOrder(shared))
    }

    /// Returns the source text of an element's key, so that `"7"` and `7` are different keys; `nil`
    /// if it has none.
    private static func key(of element: JSONNode) -> ExactText? {
        guard element.kind == .object, let key = element.member(named: keyName) else { return nil }
        let isKey =
            key.kind == .string
            || key.kind == .number
                && key.source.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: "-") }
        return isKey ? ExactText(key.sourceText) : nil
    }

    /// Returns the keys of all elements; `nil` if an element has no key, or the key of another
    /// element.
    private static func keys(of elements: [JSONNode]) -> [ExactText]? {
        var keys: [ExactText] = []
        keys.reserveCapacity(elements.count)
        var known: Set<ExactText> = []
        for element in elements {
            guard let key = key(of: element), known.insert(key).inserted else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// Returns the longest subsequence of `shared` in the order of `old`. `shared` is in the order
    /// of `new`, so the result has the order of both.
    private static func longestInOrder(_ shared: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        /// For each length of a run, the index of its lowest possible last element.
        var ends: [Int] = []
        /// For each element, the index of the element before it in its run.
        var before: [Int?] = []
        before.reserveCapacity(shared.count)
        for (index, place) in shared.enumerated() {
            let length = ends.partitionPoint { shared[$0].old < place.old }
            before.append(length > 0 ? ends[length - 1] : nil)
            if length < ends.count { ends[length] = index } else { ends.append(index) }
        }
        var run: [(old: Int, new: Int)] = []
        var next = ends.last
        while let index = next {
            run.append(shared[index])
            next = before[index]
        }
        return run.reversed()
    }
}
