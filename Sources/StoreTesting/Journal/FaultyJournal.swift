public import StoreCore
import StorePlatform
import Synchronization

/// A journal in memory that fails on demand.
public final class FaultyJournal: Journal {
    private let memory = MemoryJournal()
    private let failure = Locked<JournalError?>(nil)

    /// Makes a journal whose operations succeed.
    public init() {}

    /// Sets the error of every later append, registration and save of a snapshot. With `nil`, these
    /// operations succeed again.
    public func setFailure(_ error: JournalError?) { failure.withLock { $0 = error } }

    /// The version of the newest record.
    public var version: UInt64 { memory.version }
    /// The oldest version that can be read.
    public var oldestVersion: UInt64 { memory.oldestVersion }
    /// Always true, so that the Core treats the journal like a journal on a disk.
    public var canFail: Bool { true }

    /// The epoch of the journal's history.
    public var epoch: UInt32 { memory.epoch }

    /// Appends a batch, or throws the error that ``setFailure(_:)`` has set.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        if let error = failure.withLock({ $0 }) { throw error }
        try memory.append(batch, at: expected)
    }

    /// Reads a page of records.
    public func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        try memory.read(page)
    }

    /// Returns the outcomes of the requests with these keys.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try memory.outcomes(of: keys)
    }

    /// Registers a program with the forms of its actions, or throws the error that
    /// ``setFailure(_:)`` has set.
    public func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        if let error = failure.withLock({ $0 }) { throw error }
        return try memory.register(program)
    }

    /// Returns the programs that have registered.
    public func programs() throws(JournalError) -> [RegisteredProgram] { try memory.programs() }

    /// Saves a snapshot, or throws the error that ``setFailure(_:)`` has set.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        if let error = failure.withLock({ $0 }) { throw error }
        try memory.save(snapshot)
    }

    /// The version of the oldest snapshot from which all records up to now can still be read.
    public var oldestSnapshotVersion: UInt64? { memory.oldestSnapshotVersion }

    /// The version of the newest snapshot.
    public var newestSnapshotVersion: UInt64? { memory.newestSnapshotVersion }

    /// Returns the newest snapshot of `version` or of an earlier version.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try memory.snapshot(atOrBefore: version)
    }
}
