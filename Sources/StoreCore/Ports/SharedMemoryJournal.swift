import StorePlatform
import Synchronization

/// One writer's end of a history in memory that several writers share.
///
/// ```swift
/// let one = SharedMemoryJournal()
/// let other = one.another()
/// ```
///
/// What one end appends, all others can read at once, and those that watch are notified of it. The
/// history lives as long as one of its ends, and is bounded as that of a ``MemoryJournal`` is. A
/// writer that is further behind than the history reaches back can't go on: ``Journal/tail(from:)``
/// throws ``JournalError/gone(oldest:)``.
public final class SharedMemoryJournal: Journal {
    /// What all ends have in common.
    private final class History: Sendable {
        let memory: MemoryJournal
        let watchers = Locked(Watchers())

        init(_ memory: MemoryJournal) {
            self.memory = memory
        }
    }

    private struct Watcher {
        let id: Int
        /// The end whose own appends it is not notified of.
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
    ///   - version: the version that its first record follows.
    ///   - retention: what it keeps.
    public init(version: UInt64 = 0, retention: Retention = .inMemory) {
        history = History(MemoryJournal(version: version, retention: retention))
    }

    private init(_ history: History) {
        self.history = history
    }

    /// One more writer's end of the same history.
    public func another() -> SharedMemoryJournal {
        SharedMemoryJournal(history)
    }

    /// Identifies the history.
    public var epoch: UInt32 { history.memory.epoch }
    /// The version of the newest record of all writers.
    public var version: UInt64 { history.memory.version }
    /// The oldest version that is still kept.
    public var oldest: UInt64 { history.memory.oldest }
    /// Another writer may be first, and nothing else can fail.
    public var canFail: Bool { false }

    /// Keeps a batch, and notifies the other ends.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        try history.memory.append(batch, at: expected)
        let me = ObjectIdentifier(self)
        let others = history.watchers.withLock { watchers in
            watchers.all.filter { $0.end != me }
        }
        let newest = expected + UInt64(batch.records.count)
        for watcher in others { watcher.appended(newest) }
    }

    /// Has `appended` called after each append of another end, on that end's thread.
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

    /// Records in order; see ``Journal/read(_:)``.
    public func read(_ page: JournalPage) throws(JournalError) -> JournalRecords {
        try history.memory.read(page)
    }

    /// Keeps a program's names and forms; see ``Journal/register(_:)``.
    public func register(_ program: WritingProgram) throws(JournalError) -> UInt32 {
        try history.memory.register(program)
    }

    /// The programs of all writers.
    public func programs() throws(JournalError) -> [KeptProgram] { try history.memory.programs() }

    /// The outcomes of the requests that had these keys, of all writers.
    public func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try history.memory.outcomes(of: keys)
    }

    /// Keeps a snapshot, unless the history has one that is as new.
    public func save(_ snapshot: StateSnapshot) throws(JournalError) {
        try history.memory.save(snapshot)
    }

    /// The version of the oldest snapshot from which all records up to now can still be read.
    public var oldestSnapshot: UInt64? { history.memory.oldestSnapshot }

    /// The version of the newest snapshot.
    public var newestSnapshot: UInt64? { history.memory.newestSnapshot }

    /// The newest snapshot of `version` or before.
    public func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try history.memory.snapshot(atOrBefore: version)
    }
}
