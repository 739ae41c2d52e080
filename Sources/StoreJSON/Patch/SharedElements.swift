/// A search for the longest common subsequence of two arrays. Elements are equal if their JSON
/// texts are equal.
///
/// The method is E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). Its cost
/// depends on the number of differences more than on the length of the arrays.
enum SharedElements {
    /// The maximum number of removed and inserted elements. If the arrays need more edits, the
    /// search has no result.
    static let editsMax = 256
    /// The maximum number of comparisons of a search.
    static let comparisonsMax = 1 << 18

    /// Returns a gap for each shared element: the number of elements between the preceding shared
    /// element and this element, in each array.
    ///
    /// Returns no gaps if a bound is exceeded. The caller then compares elements with the same
    /// index.
    static func gapLengths(between old: [JSONNode], and new: [JSONNode]) -> [(old: Int, new: Int)] {
        guard !old.isEmpty, !new.isEmpty, let rounds = searchRounds(old, new) else { return [] }
        return backtrack(rounds, old.count, new.count)
    }

    /// Returns the furthest index in `old` that each diagonal reached in each round; `nil` if a
    /// bound is exceeded. A diagonal is the index in `old` minus the index in `new`. Each round
    /// permits one more edit, until a path reaches the ends of both arrays. `rounds[d][k + d]` is
    /// the index in `old` on the diagonal `k` after `d` edits.
    private static func searchRounds(_ old: [JSONNode], _ new: [JSONNode]) -> [[Int32]]? {
        var rounds: [[Int32]] = []
        var comparisons = 0
        for edits in 0...min(old.count + new.count, editsMax) {
            var reached = [Int32](repeating: 0, count: 2 * edits + 1)
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                var a = startIndex(of: diagonal, after: rounds.last, edits)
                var b = a - diagonal
                while a < old.count, b >= 0, b < new.count {
                    comparisons += 1
                    guard old[a].hasSameSource(as: new[b]) else { break }
                    (a, b) = (a + 1, b + 1)
                }
                guard comparisons <= comparisonsMax else { return nil }
                reached[diagonal + edits] = Int32(a)
                if a >= old.count, b >= new.count {
                    rounds.append(reached)
                    return rounds
                }
            }
            rounds.append(reached)
        }
        return nil
    }

    /// Returns the index in `old` at which a diagonal begins in a round. The path comes from the
    /// neighbouring diagonal with the greater index in the preceding round. The step between the
    /// diagonals inserts an element of `new` or deletes an element of `old`.
    private static func startIndex(of diagonal: Int, after round: [Int32]?, _ edits: Int) -> Int {
        guard let round else { return 0 }
        return isInsertion(diagonal, round, edits)
            ? Int(round[diagonal + 1 + edits - 1]) : Int(round[diagonal - 1 + edits - 1]) + 1
    }

    private static func isInsertion(_ diagonal: Int, _ round: [Int32], _ edits: Int) -> Bool {
        if diagonal == -edits { return true }
        if diagonal == edits { return false }
        return round[diagonal - 1 + edits - 1] < round[diagonal + 1 + edits - 1]
    }

    /// Follows the path back from the ends of the arrays through the rounds. Returns the gaps of
    /// the shared elements on the path.
    private static func backtrack(
        _ rounds: [[Int32]],
        _ oldCount: Int,
        _ newCount: Int
    ) -> [(old: Int, new: Int)] {
        var shared: [(old: Int, new: Int)] = []
        var (a, b) = (oldCount, newCount)
        for edits in stride(from: rounds.count - 1, through: 0, by: -1) {
            let round = edits > 0 ? rounds[edits - 1] : nil
            let diagonal = a - b
            let begin = startIndex(of: diagonal, after: round, edits)
            while a > begin {
                (a, b) = (a - 1, b - 1)
                shared.append((a, b))
            }
            guard let round else { break }
            if isInsertion(diagonal, round, edits) { b -= 1 } else { a -= 1 }
        }
        return gapLengths(before: shared.reversed())
    }

    /// Returns the gap before each shared element. `places` has the indices of the shared elements
    /// in both arrays.
    static func gapLengths(before places: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
        var last = (old: -1, new: -1)
        return places.map { place in
            defer { last = place }
            return (place.old - last.old - 1, place.new - last.new - 1)
        }
    }
}
