public import StoreCore
import StorePlatform
import Synchronization

/// A journal in memory that fails on demand.
public final class FaultyJournal: Journal {
    private let memory = MemoryJournal()
    private let failure = Locked<JournalError?>(nil)

    /// Makes a journal that works.
    public init() {}

    /// Fails every append with this error from now on; `nil` lets them succeed again.
    public func fail(with error: JournalError?) {
        failure.withLock { $0 = error }
    }

    /// The version of the newest record.
    public var version: UInt64 { memory.version }
    /// The oldest version that can be read.
    public var oldest: UInt64 { memory.oldest }
    /// It can, so the Core keeps the way back open.
    public var canFail: Bool { true }

    /// Identifies the journal's history.
    public var epoch: UInt32 { memory.epoch }

    /// Appends, or fails as ``fail(with:)`` has set.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        if let error = failure.withLock({ $0 }) { throw error }
        try memory.append(batch, at: expected)
    }

    /// Reads what was appended.
    public func read(_ page: JournalPage) throws(JournalError) -> JournalRecords {
        try memory.read(page)
    }

    /// What became of the requests that had these keys.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try memory.outcomes(of: keys)
    }

    /// Keeps a program's names and forms, or fails as ``fail(with:)`` has set.
    public func register(_ program: WritingProgram) throws(JournalError) -> UInt32 {
        if let error = failure.withLock({ $0 }) { throw error }
        return try memory.register(program)
    }

    /// The programs that have registered.
    public func programs() throws(JournalError) -> [KeptProgram] { try memory.programs() }

    /// Keeps a snapshot, or fails as ``fail(with:)`` has set.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        if let error = failure.withLock({ $0 }) { throw error }
        try memory.save(snapshot)
    }

    /// The version of the oldest snapshot from which all records up to now can still be read.
    public var oldestSnapshot: UInt64? { memory.oldestSnapshot }

    /// The version of the newest snapshot.
    public var newestSnapshot: UInt64? { memory.newestSnapshot }

    /// The newest snapshot of `version` or before.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try memory.snapshot(atOrBefore: version)
    }
}
