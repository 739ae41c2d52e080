/// Chooses which snapshots to give up, so that the rest reach back evenly.
package enum SnapshotLadder {
    /// How many of the newest snapshots are never given up.
    package static let newestKept = 3

    /// Which of these snapshots, in ascending order, are too many: of the older ones always the one
    /// that leaves the smallest gap, so that those that stay lie far apart where they are old and
    /// close where they are new. The oldest stays, for history begins there.
    package static func surplus(_ versions: [UInt64], max: Int) -> [UInt64] {
        var kept = versions
        var given: [UInt64] = []
        while kept.count > Swift.max(max, newestKept + 1) {
            var best = 1
            var smallest = UInt64.max
            for index in 1..<(kept.count - newestKept) {
                let gap = kept[index + 1] - kept[index - 1]
                // Gaps count relative to their age, or only the newest would ever be given up.
                let age = kept[kept.count - 1] - kept[index] + 1
                let weight = gap.multipliedFullWidth(by: 1 << 20).low / age
                if weight < smallest { (smallest, best) = (weight, index) }
            }
            given.append(kept.remove(at: best))
        }
        return given
    }
}
