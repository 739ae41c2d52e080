import Locks
public import StoreCore
import Synchronization

/// A journal in memory that fails when it is told to.
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

    /// Appends, or fails as it was told to.
    public func append(_ records: [Record], at expected: UInt64) throws(JournalError) {
        if let error = failure.withLock({ $0 }) { throw error }
        try memory.append(records, at: expected)
    }

    /// Reads what was appended.
    public func read(after version: UInt64, limit: Int) throws(JournalError) -> [Record] {
        try memory.read(after: version, limit: limit)
    }
}
