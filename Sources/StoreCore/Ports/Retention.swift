/// How much history a journal keeps. Older records are forgotten when a snapshot makes them
/// unnecessary, and never before.
public struct Retention: Sendable, Equatable {
    /// The oldest record that is kept, in seconds; `nil` for ever.
    public var secondsMax: UInt64?
    /// The most bytes of records that are kept; `nil` for all.
    public var bytesMax: UInt64?
    /// The most records that are kept; `nil` for all.
    public var recordsMax: UInt64?
    /// How long idempotency keys are kept at most, in seconds.
    public var keySecondsMax: UInt64
    /// The most idempotency keys that are kept.
    public var keysMax: UInt64
    /// The most snapshots that are kept.
    public var snapshotsMax: Int

    /// Makes bounds: 30 days or 4 GiB of records, a day or a million keys, 16 snapshots.
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

    /// What a journal in memory keeps: 100,000 records, 64 MiB of them at the most, and 4
    /// snapshots, for it lives beside the state.
    public static let inMemory = Retention(
        secondsMax: nil,
        bytesMax: 64 << 20,
        recordsMax: 100_000,
        snapshotsMax: 4
    )

    /// Everything for ever, but for idempotency keys and snapshots.
    public static let forever = Retention(secondsMax: nil, bytesMax: nil)
}
