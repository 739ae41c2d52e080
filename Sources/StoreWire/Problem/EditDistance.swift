import StoreTexts

/// A search for the known name that is most similar to a misspelt name.
package enum EditDistance {
    /// The maximum number of bytes of a compared name. The cost of a comparison grows with the
    /// square of this number.
    static let bytesMax = 64
    /// The maximum number of candidates that are compared with a name.
    static let candidatesMax = 1_000

    /// Returns the candidate with the smallest number of changes. Candidates are left out if this
    /// number exceeds a third of the bytes in the longer name. Returns `nil` if no candidate
    /// remains.
    ///
    /// The difference between an upper-case and a lower-case ASCII letter is no change. If several
    /// candidates have the same number of changes, the function returns the first of them. Cost: at
    /// most 64 × 64 steps for each candidate.
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

    /// Returns the smallest number of changes that turn one name into the other. A change inserts,
    /// deletes or replaces a byte, or swaps two neighbouring bytes.
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
