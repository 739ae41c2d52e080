/// What a look at everything that a journal holds found.
public struct JournalReport: Sendable, Equatable {
    /// The oldest version whose record is there, or one more than ``version`` where none is.
    public var oldest: UInt64
    /// The newest version.
    public var version: UInt64
    /// How many records were followed without a fault.
    public var recordsCount: UInt64 = 0
    /// How many snapshots are intact.
    public var snapshotsCount = 0
    /// How many outcomes of idempotency keys are intact.
    public var outcomesCount = 0
    /// What is wrong, in the operator's words; empty where all is well.
    public var faults: [String] = []

    /// Whether all is well.
    public var isIntact: Bool { faults.isEmpty }
}
