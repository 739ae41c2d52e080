import StoreCore
import StorePlatform
import Synchronization

/// Calls a closure once before the next append, as a faster writer would act.
final class OvertakenJournal: Journal {
    let inner: any Journal
    private let before = Locked<[@Sendable () -> Void]>([])
    let lookUps = Journaled<Int>()
    private let tailError = Locked<JournalError?>(nil)

    init(_ inner: any Journal) { self.inner = inner }

    func beforeNextAppend(_ work: @escaping @Sendable () -> Void) {
        before.withLock { $0.append(work) }
    }

    func failTail(with error: JournalError?) { tailError.withLock { $0 = error } }

    var epoch: UInt32 { inner.epoch }
    var version: UInt64 { inner.version }
    var oldestVersion: UInt64 { inner.oldestVersion }
    var canFail: Bool { false }
    var oldestSnapshotVersion: UInt64? { nil }
    var newestSnapshotVersion: UInt64? { nil }

    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        let work = before.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        work?()
        try inner.append(batch, at: expected)
    }
    func tail(from version: UInt64) throws(JournalError) -> [Record] {
        if let error = tailError.withLock({ $0 }) { throw error }
        return try inner.tail(from: version)
    }
    func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        try inner.read(page)
    }
    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        lookUps.add(keys.count)
        return try inner.outcomes(of: keys)
    }
    func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        try inner.register(program)
    }
    func programs() throws(JournalError) -> [RegisteredProgram] { try inner.programs() }
    func save(_ snapshot: StateSnapshot) throws(JournalError) {}
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? { nil }
}
