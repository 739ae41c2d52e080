import StoreCore
import StorePlatform
import Synchronization

/// A server's end of a history that several servers share. Other servers go on in the midst of its
/// calls, and notifications come late. Now and then the journal has no room or can't be read.
final class PeerJournal: Journal {
    /// The failure of a call.
    enum Fault: Sendable { case none, full, away }

    private struct Table: Sendable {
        var interrupt: (@Sendable () -> Fault)?
        var announcedVersion: UInt64?
        var watcher: (@Sendable (UInt64) -> Void)?
        var conflicts = 0
        var written: [Record] = []
    }

    private let inner: MemoryJournal
    private let table = Locked(Table())

    init(_ inner: MemoryJournal) {
        self.inner = inner
    }

    /// Returns a further end of the same history.
    func another() -> PeerJournal { PeerJournal(inner.makeJournalOfSameHistory()) }

    /// Calls `others` before and after each append, and before each tail and look-up.
    func interrupt(by others: (@Sendable () -> Fault)?) {
        table.withLock { $0.interrupt = others }
    }

    /// The number of appends that found records of other servers.
    var conflicts: Int { table.withLock { $0.conflicts } }

    /// The records that this end has appended.
    var written: [Record] { table.withLock { $0.written } }

    /// Passes on the announcements that the history has made meanwhile.
    func announce() {
        let (watcher, version) = table.withLock { table in
            (table.watcher, table.announcedVersion.take())
        }
        if let watcher, let version { watcher(version) }
    }

    private func interrupted() -> Fault {
        table.withLock { $0.interrupt }?() ?? .none
    }

    var epoch: UInt32 { 0x5EED_5EED }
    var version: UInt64 { inner.version }
    var oldestVersion: UInt64 { inner.oldestVersion }
    var canFail: Bool { true }
    var oldestSnapshotVersion: UInt64? { inner.oldestSnapshotVersion }
    var newestSnapshotVersion: UInt64? { inner.newestSnapshotVersion }

    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        if case .full = interrupted() { throw .storageFull }
        do throws(JournalError) {
            try inner.append(batch, at: expected)
        } catch {
            if case .conflict = error { table.withLock { $0.conflicts += 1 } }
            throw error
        }
        table.withLock { $0.written += batch.records }
        _ = interrupted()
    }

    func tail(from version: UInt64) throws(JournalError) -> [Record] {
        if case .away = interrupted() { throw .unknown("the history is away") }
        return try inner.tail(from: version)
    }

    func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand? {
        table.withLock { $0.watcher = appended }
        return inner.watch { [weak self] version in
            self?.table.withLock { $0.announcedVersion = version }
        }
    }

    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        _ = interrupted()
        return try inner.outcomes(of: keys)
    }

    func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        try inner.read(page)
    }
    func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        try inner.register(program)
    }
    func programs() throws(JournalError) -> [RegisteredProgram] { try inner.programs() }
    func save(_ snapshot: StateSnapshot) throws(JournalError) { try inner.save(snapshot) }
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try inner.snapshot(atOrBefore: version)
    }
}
