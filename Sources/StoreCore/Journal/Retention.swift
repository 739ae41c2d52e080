/// The bounds of the history that a journal stores. A journal on disk drops older records only
/// after a snapshot has made them unnecessary. A journal in memory drops older records at once.
public struct Retention: Sendable, Equatable {
    /// The greatest age of a stored record, in seconds; `nil` for no bound.
    public var secondsMax: UInt64?
    /// The maximum number of bytes of all stored records; `nil` for no bound.
    public var bytesMax: UInt64?
    /// The maximum number of stored records; `nil` for no bound.
    public var recordsMax: UInt64?
    /// The greatest age of a stored idempotency key, in seconds.
    public var keySecondsMax: UInt64
    /// The maximum number of stored idempotency keys.
    public var keysMax: UInt64
    /// The maximum number of stored snapshots. A number below 4 counts as 4.
    public var snapshotsMax: Int

    /// Makes bounds. The defaults are 30 days or 4 GiB of records, a day or a million keys, and 16
    /// snapshots.
    public init(
        secondsMax: UInt64? = 30 * 86_400,
        bytesMax: UInt64? = 4 << 30,
        recordsMax: UInt64? = nil,
        keySecondsMax: UInt64 = 86_400,
        keysMax: UInt64 = 1_000_000,
        snapshotsMax: Int = 16
    ) {
        self.secondsMax = secondsMax
        self.bytesMax = bytesMax
        self.recordsMax = recordsMax
        self.keySecondsMax = keySecondsMax
        self.keysMax = keysMax
        self.snapshotsMax = snapshotsMax
    }

    /// The bounds of a journal in memory, which shares memory with the state: 100,000 records of at
    /// most 64 MiB together, and 4 snapshots.
    public static let inMemory = Retention(
        secondsMax: nil,
        bytesMax: 64 << 20,
        recordsMax: 100_000,
        snapshotsMax: 4
    )

    /// A retention without bounds on records. Idempotency keys and snapshots stay bounded.
    public static let forever = Retention(secondsMax: nil, bytesMax: nil)
}

/// The choice of the snapshots to drop. The remaining snapshots cover the whole history, with
/// smaller gaps at newer versions.
package enum SnapshotLadder {
    /// The number of newest snapshots that always remain.
    package static let newestKeptCount = 3

    /// Returns the surplus snapshots among these versions, which are in ascending order. At least
    /// ``newestKeptCount`` + 1 snapshots remain.
    ///
    /// Surplus snapshots are chosen one by one. Each choice is the snapshot whose removal leaves
    /// the smallest gap, relative to the age of the snapshot. The oldest snapshot always remains,
    /// because the history begins there.
    package static func surplus(_ versions: [UInt64], max: Int) -> [UInt64] {
        var remaining = versions
        var surplusVersions: [UInt64] = []
        while remaining.count > Swift.max(max, newestKeptCount + 1) {
            var best = 1
            var smallest = UInt64.max
            for index in 1..<(remaining.count - newestKeptCount) {
                let gap = remaining[index + 1] - remaining[index - 1]
                // Divides the gap by the age. Otherwise only the newest snapshots would be dropped.
                let age = remaining[remaining.count - 1] - remaining[index] + 1
                let weight = gap.multipliedFullWidth(by: 1 << 20).low / age
                if weight < smallest { (smallest, best) = (weight, index) }
            }
            surplusVersions.append(remaining.remove(at: best))
        }
        return surplusVersions
    }
}
