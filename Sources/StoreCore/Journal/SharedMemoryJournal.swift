import StorePlatform
import Synchronization

/// A writer's end of a history in memory that several writers share.
///
/// ```swift
/// let one = SharedMemoryJournal()
/// let other = one.another()
/// ```
///
/// A record that one end appends can be read by all ends at once; the watching ends are notified.
/// The history lives as long as one of its ends, and has the bounds of a ``MemoryJournal``. A
/// writer fails if its next record is already dropped: ``Journal/tail(from:)`` throws
/// ``JournalError/gone(oldest:)``.
public final class SharedMemoryJournal: Journal {
    /// The state that all ends share.
    private final class History: Sendable {
        let memory: MemoryJournal
        let watchers = Locked(Watchers())

        init(_ memory: MemoryJournal) {
            self.memory = memory
        }
    }

    private struct Watcher {
        let id: Int
        /// The end that watches; its own appends do not notify it.
        let end: ObjectIdentifier
        let appended: @Sendable (UInt64) -> Void
    }

    private struct Watchers {
        var all: [Watcher] = []
        var count = 0
    }

    private let history: History

    /// Begins an empty history.
    ///
    /// - Parameters:
    ///   - version: the version that the first record follows.
    ///   - retention: the bounds of the history.
    public init(version: UInt64 = 0, retention: Retention = .inMemory) {
        history = History(MemoryJournal(version: version, retention: retention))
    }

    private init(_ history: History) {
        self.history = history
    }

    /// Returns another writer's end of the same history.
    public func another() -> SharedMemoryJournal {
        SharedMemoryJournal(history)
    }

    /// The id of the history.
    public var epoch: UInt32 { history.memory.epoch }
    /// The version of the newest record of all writers.
    public var version: UInt64 { history.memory.version }
    /// The version of the oldest record that is still stored; one more than ``version`` if there is
    /// none.
    public var oldest: UInt64 { history.memory.oldest }
    /// Always false: an append can only lose against another writer, and such a conflict writes
    /// nothing.
    public var canFail: Bool { false }

    /// Stores a batch, and notifies the watchers of the other ends.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        try history.memory.append(batch, at: expected)
        let me = ObjectIdentifier(self)
        let others = history.watchers.withLock { watchers in
            watchers.all.filter { $0.end != me }
        }
        let newest = expected + UInt64(batch.records.count)
        for watcher in others { watcher.appended(newest) }
    }

    /// Calls `appended` after each append of another end, on the appending thread.
    public func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand? {
        let me = ObjectIdentifier(self)
        let id = history.watchers.withLock { watchers in
            watchers.count += 1
            watchers.all.append(Watcher(id: watchers.count, end: me, appended: appended))
            return watchers.count
        }
        return PlainCommand { [history] in
            history.watchers.withLock { $0.all.removeAll { $0.id == id } }
        }
    }

    /// Returns records in order; see ``Journal/read(_:)``.
    public func read(_ page: JournalPage) throws(JournalError) -> JournalRecords {
        try history.memory.read(page)
    }

    /// Stores a program's names and forms; see ``Journal/register(_:)``.
    public func register(_ program: WritingProgram) throws(JournalError) -> UInt32 {
        try history.memory.register(program)
    }

    /// Returns the programs of all writers.
    public func programs() throws(JournalError) -> [RegisteredProgram] {
        try history.memory.programs()
    }

    /// Returns the stored outcomes of the requests with these keys, of all writers.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try history.memory.outcomes(of: keys)
    }

    /// Stores a snapshot that is newer than all others of the history.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        try history.memory.save(snapshot)
    }

    /// The version of the oldest snapshot from which all records up to now can be read.
    public var oldestSnapshot: UInt64? { history.memory.oldestSnapshot }

    /// The version of the newest snapshot.
    public var newestSnapshot: UInt64? { history.memory.newestSnapshot }

    /// Returns the newest snapshot of `version` or before; `nil` if there is none.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try history.memory.snapshot(atOrBefore: version)
    }
}
