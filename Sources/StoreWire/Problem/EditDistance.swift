import StoreTexts

/// A search for the name that the writer of a misspelt name probably meant.
package enum EditDistance {
    /// The maximum number of bytes of a name in the comparison, whose work is quadratic.
    static let bytesMax = 64
    /// The maximum number of names that an unknown name is compared with.
    static let candidatesMax = 1_000

    /// Returns the candidate with the fewest changes; `nil` if each candidate needs more changes
    /// than a third of the letters in the longer name.
    ///
    /// A letter in another case is not a change. If candidates are equally near, the first wins, so
    /// that the result depends only on the order of `candidates`. Cost: at most 64 × 64 steps a
    /// candidate.
    package static func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercasedASCII.utf8)
        guard !wanted.isEmpty, wanted.count <= bytesMax else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates.prefix(candidatesMax) {
            let bytes = Array(candidate.lowercasedASCII.utf8)
            let allowed = min(max(bytes.count, wanted.count) / 3, (best?.distance ?? .max) - 1)
            guard bytes.count <= bytesMax, abs(bytes.count - wanted.count) <= allowed else {
                continue
            }
            let distance = between(wanted, bytes)
            if distance <= allowed { best = (candidate, distance) }
            if distance == 0 { break }
        }
        return best?.name
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn
    /// one name into the other.
    static func between(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in 0..<first.count {
            var current = [row + 1]
            current.reserveCapacity(second.count + 1)
            for column in 0..<second.count {
                let replaced = last[column] + (first[row] == second[column] ? 0 : 1)
                var cost = min(last[column + 1] + 1, current[column] + 1, replaced)
                if row > 0, column > 0, first[row] == second[column - 1],
                    first[row - 1] == second[column]
                {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[second.count]
    }
}
