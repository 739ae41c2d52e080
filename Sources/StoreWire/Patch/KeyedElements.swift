import StoreTexts

/// Finds the items that two arrays have in common, by a member that names each: `id`.
///
/// The items that stay in their order are found by the longest increasing subsequence of their
/// places (C. Schensted, "Longest increasing and decreasing subsequences", 1961): n log n steps,
/// however many were moved.
enum KeyedElements {
    /// The member that names an item: a text or a whole number.
    static let keyName = "id"

    /// For each item that stays, how many elements stand before it in either array since the last
    /// one. The others were removed, added or moved.
    ///
    /// `nil` where some element has no key, or one has that of another: the arrays are compared by
    /// what their elements are.
    static func gaps(between old: [JSONNode], and new: [JSONNode]) -> [(old: Int, new: Int)]? {
        guard let first = old.first, key(of: first) != nil, let places = places(of: old),
            let keys = keys(of: new)
        else { return nil }
        let shared = keys.indices.compactMap { new in
            places[keys[new]].map { (old: $0, new: new) }
        }
        var (lastOld, lastNew) = (-1, -1)
        return longestInOrder(shared).map { place in
            defer { (lastOld, lastNew) = place }
            return (place.old - lastOld - 1, place.new - lastNew - 1)
        }
    }

    /// The text of a key as it is written: `"7"` and `7` are two.
    private static func key(of element: JSONNode) -> ExactText? {
        guard element.kind == .object, let key = element.member(named: keyName) else { return nil }
        let isKey =
            key.kind == .string
            || key.kind == .number
                && key.source.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: "-") }
        return isKey ? ExactText(key.sourceText) : nil
    }

    /// The keys of all elements; `nil` where one has none, or not its own.
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

    private static func places(of elements: [JSONNode]) -> [ExactText: Int]? {
        guard let keys = keys(of: elements) else { return nil }
        return Dictionary(keys.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    }

    /// The most of these, which are in the order of `new`, that are in that of `old`, too.
    private static func longestInOrder(
        _ shared: [(old: Int, new: Int)]
    ) -> [(old: Int, new: Int)] {
        /// The index of the lowest last element of a run, for each length; and for each element the
        /// one before it in its run.
        var ends: [Int] = []
        var before: [Int?] = []
        before.reserveCapacity(shared.count)
        for (index, place) in shared.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if shared[ends[middle]].old < place.old { low = middle + 1 } else { high = middle }
            }
            before.append(low > 0 ? ends[low - 1] : nil)
            if low < ends.count { ends[low] = index } else { ends.append(index) }
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
