import StoreTexts

/// A search for the elements that two arrays have in common. Elements are equal if their member
/// `id` is equal.
///
/// Of the common elements, the search selects as many as possible that have the same order in both
/// arrays. If the selected elements have the order of the new array, their old positions are a
/// longest increasing subsequence (C. Schensted, "Longest increasing and decreasing subsequences",
/// 1961). The search takes n log n steps, for any number of moved elements.
enum KeyedElements {
    /// The name of the member with an element's key. The key is a text or a whole number.
    static let keyName = "id"

    /// Returns a gap for each selected element: the number of elements between the preceding
    /// selected element and this element, in each array. The elements in a gap were removed, added
    /// or moved.
    ///
    /// Returns `nil` if an element has no key, or if two elements of one array have the same key.
    /// The caller then matches elements by their content.
    static func gapLengths(between old: [JSONNode], and new: [JSONNode]) -> [(old: Int, new: Int)]?
    {
        guard let first = old.first, key(of: first) != nil, let oldKeys = keys(of: old),
            let newKeys = keys(of: new)
        else { return nil }
        let places = Dictionary(zip(oldKeys, oldKeys.indices)) { first, _ in first }
        let shared = newKeys.indices.compactMap { new in
            places[newKeys[new]].map { (old: $0, new: new) }
        }
        return SharedElements.gapLengths(before: longestIncreasingSubsequence(of: shared))
    }

    /// Returns the JSON text of an element's key; `nil` if the element has no key. Because of the
    /// quotes, `"7"` and `7` are different keys.
    private static func key(of element: JSONNode) -> ExactText? {
        guard element.kind == .object, let key = element.member(named: keyName) else { return nil }
        let isKey =
            key.kind == .string
            || key.kind == .number
                && key.source.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: "-") }
        return isKey ? ExactText(key.sourceText) : nil
    }

    /// Returns the keys of all elements; `nil` if an element has no key, or has the same key as
    /// another element.
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

    /// Returns the longest subsequence of `shared` in which the positions in the old array
    /// increase. In `shared`, the positions in the new array increase already.
    private static func longestIncreasingSubsequence(of shared: [(old: Int, new: Int)]) -> [(
        old: Int, new: Int
    )] {
        /// For each length, the index of an element that ends an increasing subsequence of this
        /// length. Of all elements that end such a subsequence, this element has the lowest
        /// position in the old array.
        var ends: [Int] = []
        /// For each element, the index of the preceding element in the longest subsequence that
        /// ends with the element.
        var predecessors: [Int?] = []
        predecessors.reserveCapacity(shared.count)
        for (index, place) in shared.enumerated() {
            let length = ends.partitionPoint { shared[$0].old < place.old }
            predecessors.append(length > 0 ? ends[length - 1] : nil)
            if length < ends.count { ends[length] = index } else { ends.append(index) }
        }
        var run: [(old: Int, new: Int)] = []
        var next = ends.last
        while let index = next {
            run.append(shared[index])
            next = predecessors[index]
        }
        return run.reversed()
    }
}
