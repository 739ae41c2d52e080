/// The name that a misspelt one was probably meant to be.
package enum EditDistance {
    /// Longer names are not compared: the work is quadratic.
    static let bytesMax = 64
    /// How many names are compared with one that is unknown.
    static let candidatesMax = 1_000

    /// The candidate with the fewest changes, when those are at most a third of the name.
    ///
    /// Letters of another case cost nothing. Of equals the first one is given, so that the answer
    /// depends on the order of `candidates` only. Cost: at most 64 × 64 steps a candidate.
    package static func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
        let wanted = folded(name)
        guard !wanted.isEmpty, wanted.count <= bytesMax else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in candidates.prefix(candidatesMax) {
            let bytes = folded(candidate)
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

    /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
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

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}
