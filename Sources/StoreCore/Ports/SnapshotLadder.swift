/// The choice of surplus snapshots. The remaining snapshots cover the history evenly.
package enum SnapshotLadder {
    /// The number of newest snapshots that are never surplus.
    package static let newestKept = 3

    /// Returns the surplus snapshots among these versions, which are in ascending order. At least
    /// ``newestKept`` + 1 snapshots remain.
    ///
    /// Each step drops the snapshot that leaves the smallest gap, relative to its age. The
    /// remaining snapshots are dense for new versions and sparse for old ones. The oldest always
    /// remains, because history begins there.
    package static func surplus(_ versions: [UInt64], max: Int) -> [UInt64] {
        var kept = versions
        var given: [UInt64] = []
        while kept.count > Swift.max(max, newestKept + 1) {
            var best = 1
            var smallest = UInt64.max
            for index in 1..<(kept.count - newestKept) {
                let gap = kept[index + 1] - kept[index - 1]
                // Gaps are relative to the age; otherwise only the newest snapshots would be
                // dropped.
                let age = kept[kept.count - 1] - kept[index] + 1
                let weight = gap.multipliedFullWidth(by: 1 << 20).low / age
                if weight < smallest { (smallest, best) = (weight, index) }
            }
            given.append(kept.remove(at: best))
        }
        return given
    }
}
