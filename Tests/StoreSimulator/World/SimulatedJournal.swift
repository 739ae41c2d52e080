import StoreCore
import StorePlatform
import Synchronization

/// A journal that fails if a test sets a fault, and counts its calls. Its copy of all appended
/// records also has the records that the inner journal has forgotten.
final class SimulatedJournal: ForgettingJournal {
    /// The result of the next appends.
    enum Fault: Sendable {
        case none
        /// Nothing is written, and the server gets that answer.
        case full
        /// Nothing is written, and the server cannot know that.
        case lost
        /// The batch is written, and the server cannot know that.
        case late
    }

    private struct Table: Sendable {
        var fault = Fault.none
        var records: [Record] = []
        var outcomes: [KeptOutcome] = []
        var holes: [String] = []
        /// The last versions of the appended batches.
        var batchEnds: Set<UInt64> = []
    }

    private let inner: any Journal
    private let table = Locked(Table())

    init(_ inner: any Journal, after earlier: SimulatedJournal? = nil) {
        self.inner = inner
        // The new journal takes the earlier journal's lists, which no caller uses any more. Sharing
        // them would copy them.
        guard let earlier else { return }
        let (records, outcomes) = earlier.table.withLock { table in
            defer { (table.records, table.outcomes) = ([], []) }
            return (table.records, table.outcomes)
        }
        table.withLock { table in
            (table.records, table.outcomes) = (records, outcomes)
            table.batchEnds = [UInt64(records.count)]
        }
    }

    /// All records since version 1.
    var records: [Record] { table.withLock { $0.records } }
    var count: Int { table.withLock { $0.records.count } }
    /// The record of a version.
    func record(_ version: UInt64) -> Record? {
        table.withLock { table in
            version <= UInt64(table.records.count) ? table.records[Int(version) - 1] : nil
        }
    }
    /// Returns the records after the first `count`.
    func records(after count: Int) -> [Record] { table.withLock { Array($0.records[count...]) } }
    /// All kept outcomes of requests with keys.
    var outcomes: [KeptOutcome] { table.withLock { $0.outcomes } }
    /// Appended records that do not follow the records before them.
    var holes: [String] { table.withLock { $0.holes } }

    /// Sets the result of the appends from now on.
    func fail(_ fault: Fault) { table.withLock { $0.fault = fault } }

    var oldestRestorableVersion: UInt64 {
        (inner as? any ForgettingJournal)?.oldestRestorableVersion ?? 0
    }

    func prepareForget(_ owners: [String], origin: String) {
        (inner as? any ForgettingJournal)?.prepareForget(owners, origin: origin)
    }

    func forget(
        _ owners: [String],
        keeping snapshot: (_ version: UInt64) throws -> StateSnapshot
    ) throws -> UInt64 {
        let fault = table.withLock { $0.fault }
        switch fault {
        case .none, .late: break
        case .full: throw JournalError.storageFull
        case .lost: throw JournalError.unknown("the simulated disk failed")
        }
        guard let inner = inner as? any ForgettingJournal else {
            throw JournalError.unknown("a history in memory has no keys")
        }
        let kept = try inner.forget(owners, keeping: snapshot)
        if case .late = fault { throw JournalError.unknown("the simulated disk failed late") }
        return kept
    }

    /// Replaces the copies of the records, and the kept outcomes.
    func replace(_ change: (Record) -> Record, keeping isKept: (KeptOutcome) -> Bool) {
        table.withLock { table in
            table.records = table.records.map(change)
            table.outcomes.removeAll { !isKept($0) }
        }
    }

    /// Returns true if a batch ended with this version, so that the store may have published it.
    func endsBatch(_ version: UInt64) -> Bool { table.withLock { $0.batchEnds.contains(version) } }

    var epoch: UInt32 { 0x5EED_5EED }
    var version: UInt64 { inner.version }
    var oldestVersion: UInt64 { inner.oldestVersion }
    var canFail: Bool { true }
    var oldestSnapshotVersion: UInt64? { inner.oldestSnapshotVersion }
    var newestSnapshotVersion: UInt64? { inner.newestSnapshotVersion }

    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        let fault = table.withLock { $0.fault }
        switch fault {
        case .none, .late: break
        case .full: throw .storageFull
        case .lost: throw .unknown("the simulated disk failed")
        }
        try inner.append(batch, at: expected)
        table.withLock { table in
            for (index, record) in batch.records.enumerated()
            where record.version != expected + UInt64(index) + 1 {
                table.holes.append("version \(record.version) follows \(expected) by \(index + 1)")
            }
            if expected != UInt64(table.records.count) {
                table.holes.append("a batch follows \(expected) and not \(table.records.count)")
            }
            table.records += batch.records
            table.batchEnds.insert(UInt64(table.records.count))
            table.outcomes += batch.outcomes
        }
        if case .late = fault { throw .unknown("the simulated disk failed late") }
    }

    func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        try inner.read(page)
    }
    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try inner.outcomes(of: keys)
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
