/// The port through which applied actions become durable.
///
/// The Core appends from its own thread, a batch at a time; readers may come from any thread.
public protocol Journal: AnyObject, Sendable {
    /// The version of the newest record, 0 where there is none.
    var version: UInt64 { get }
    /// The oldest version that can still be read, or one more than ``version`` where none can.
    var oldest: UInt64 { get }
    /// Whether an append can fail at all. Where it can, the Core keeps the way back open.
    var canFail: Bool { get }

    /// Appends a batch whole, or not at all, and returns when it is durable.
    ///
    /// - Parameters:
    ///   - records: their versions follow `expected` without a hole.
    ///   - expected: the version that the journal must be at.
    /// - Throws: ``JournalError``.
    func append(_ records: [Record], at expected: UInt64) throws(JournalError)

    /// Up to `limit` records in order, the first being the one after `version`.
    ///
    /// - Throws: ``JournalError/gone(oldest:)`` where history does not reach back that far.
    func read(after version: UInt64, limit: Int) throws(JournalError) -> [Record]
}

/// Why a journal could not do what it was asked.
public enum JournalError: Error, Sendable, Equatable {
    /// There is no room; nothing was written, and it may be tried again.
    case storageFull
    /// Another writer was faster: the journal is at this version.
    case conflict(version: UInt64)
    /// History begins at this version.
    case gone(oldest: UInt64)
    /// It is not known whether anything was written.
    case unknown(String)
}
