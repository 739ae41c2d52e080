import StoreCore
import StorePlatform
import Synchronization

/// A journal that fails where a test sets a fault, counts its calls, and keeps a copy of all
/// that was appended, also of what the journal behind it has forgotten.
final class SimulatedJournal: Journal {
    /// How the next appends go.
    enum Fault: Sendable {
        case none
        /// Nothing is written, and that is known.
        case full
        /// Nothing was written, and that is not known.
        case lost
        /// All was written, and that is not known.
        case late
    }

    private struct Table: Sendable {
        var fault = Fault.none
        var records: [Record] = []
        var outcomes: [KeptOutcome] = []
        var holes: [String] = []
    }

    private let inner: any Journal
    private let table = Locked(Table())

    init(_ inner: any Journal, after earlier: SimulatedJournal? = nil) {
        self.inner = inner
        // Nothing looks at the earlier one any more: to share its lists would copy them.
        guard let earlier else { return }
        let (records, outcomes) = earlier.table.withLock { table in
            defer { (table.records, table.outcomes) = ([], []) }
            return (table.records, table.outcomes)
        }
        table.withLock { ($0.records, $0.outcomes) = (records, outcomes) }
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
    /// The records after so many.
    func records(after count: Int) -> [Record] { table.withLock { Array($0.records[count...]) } }
    /// What was kept of requests with keys, all of it.
    var outcomes: [KeptOutcome] { table.withLock { $0.outcomes } }
    /// What was appended that does not follow what was there.
    var holes: [String] { table.withLock { $0.holes } }

    /// Lets appends go this way from now on.
    func fail(_ fault: Fault) { table.withLock { $0.fault = fault } }

    var epoch: UInt32 { 0x5EED_5EED }
    var version: UInt64 { inner.version }
    var oldest: UInt64 { inner.oldest }
    var canFail: Bool { true }
    var oldestSnapshot: UInt64? { inner.oldestSnapshot }
    var newestSnapshot: UInt64? { inner.newestSnapshot }

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
            table.outcomes += batch.outcomes
        }
        if case .late = fault { throw .unknown("the simulated disk failed late") }
    }

    func read(_ page: JournalPage) throws(JournalError) -> JournalRecords { try inner.read(page) }
    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        try inner.outcomes(of: keys)
    }
    func register(_ program: WritingProgram) throws(JournalError) -> UInt32 {
        try inner.register(program)
    }
    func programs() throws(JournalError) -> [KeptProgram] { try inner.programs() }
    func save(_ snapshot: StateSnapshot) throws(JournalError) { try inner.save(snapshot) }
    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        try inner.snapshot(atOrBefore: version)
    }
}
