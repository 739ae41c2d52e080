/// The result of a check of everything in a journal.
public struct JournalReport: Sendable, Equatable {
    /// The oldest version with a record; one more than ``version`` if there are no records.
    public var oldest: UInt64
    /// The newest version.
    public var version: UInt64
    /// The number of records in the chain that were checked without a fault.
    public var recordsCount: UInt64 = 0
    /// The number of intact snapshots.
    public var snapshotsCount = 0
    /// The number of intact outcomes of idempotency keys.
    public var outcomesCount = 0
    /// The faults, as texts for the operator; empty if everything is intact.
    public var faults: [String] = []

    /// True if there are no faults.
    public var isIntact: Bool { faults.isEmpty }
}
