import StoreCore
import StorePlatform
import StoreTesting
import Synchronization
import Testing

/// The defect of a ``DefectiveJournal``.
enum Defect: String, CaseIterable, CustomTestStringConvertible {
    case none
    /// At a conflict, an append still writes, after the existing records.
    case ignoresConflicts
    /// A conflict names the expected version.
    case namesWrongVersion
    /// The last record of a batch becomes visible with the next batch.
    case splitsBatches
    /// The last record of a batch of several is lost.
    case losesLast
    /// Texts are kept in one normal form.
    case normalizesTexts
    case neverNotifies
    case notifiesAfterTheEnd
    case hasNoWatch
    /// No tail has another writer's records.
    case tailIsOld
    case tailBeginsTooEarly
    /// Keys of several principals are the same key.
    case forgetsPrincipals
    /// A look-up of several keys finds only the first.
    case looksUpOne
    case keepsOutcomesOfConflicts
    case pagesAreTooLarge
    case replacesSnapshots
    case forgetsSilently
    case writesWhenFull
    case losesKeysOnReopen
    /// All programs have one number.
    case forgetsPrograms

    var testDescription: String { rawValue }

    /// A promise that the defect breaks each time. With racing threads, it may also break others.
    var breaks: JournalPromise? {
        switch self {
        case .none: nil
        case .ignoresConflicts, .namesWrongVersion, .keepsOutcomesOfConflicts: .conflict
        case .splitsBatches: .whole
        case .losesLast: .order
        case .normalizesTexts: .bytes
        case .neverNotifies, .notifiesAfterTheEnd, .hasNoWatch: .watch
        case .tailIsOld, .tailBeginsTooEarly: .tail
        case .forgetsPrincipals, .looksUpOne: .outcomes
        case .pagesAreTooLarge: .pages
        case .replacesSnapshots: .oldSnapshot
        case .forgetsSilently: .forgetting
        case .writesWhenFull: .full
        case .losesKeysOnReopen: .reopen
        case .forgetsPrograms: .programs
        }
    }
}

/// A journal that breaks one promise.
final class DefectiveJournal: Journal {
    private struct Table {
        var isFull = false
        var late: Record?
        var snapshots: [UInt64: StateSnapshot] = [:]
        /// The versions that this journal has appended.
        var own: [UInt64] = []
    }

    private let inner: MemoryJournal
    private let defect: Defect
    private let losesKeys: Bool
    private let table = Locked(Table())

    init(_ inner: MemoryJournal, _ defect: Defect, losesKeys: Bool = false) {
        self.inner = inner
        self.defect = defect
        self.losesKeys = losesKeys
    }

    func another() -> DefectiveJournal {
        DefectiveJournal(inner.makeJournalOfSameHistory(), defect)
    }

    func reopened() -> DefectiveJournal {
        DefectiveJournal(inner, defect, losesKeys: defect == .losesKeysOnReopen)
    }

    func setFull(_ isFull: Bool) { table.withLock { $0.isFull = isFull } }

    var epoch: UInt32 { inner.epoch }
    var version: UInt64 { inner.version }
    var oldestVersion: UInt64 { defect == .forgetsSilently ? 1 : inner.oldestVersion }
    var canFail: Bool { true }
    var oldestSnapshotVersion: UInt64? { inner.oldestSnapshotVersion }
    var newestSnapshotVersion: UInt64? { inner.newestSnapshotVersion }

    func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        if table.withLock({ $0.isFull }) {
            if defect == .writesWhenFull { try inner.append(batch, at: expected) }
            throw .storageFull
        }
        var batch = batch
        if defect == .losesLast, batch.records.count > 1 { batch.records.removeLast() }
        if defect == .normalizesTexts { batch = batch.normalized }
        do throws(JournalError) {
            if let late = table.withLock({ $0.late.take() }) {
                try inner.append(JournalBatch(records: [late]), at: late.version - 1)
            }
            if defect == .splitsBatches, batch.records.count == 7 {
                let late = batch.records.removeLast()
                table.withLock { $0.late = late }
            }
            try inner.append(batch, at: expected)
        } catch {
            guard case .conflict(let newest) = error else { throw error }
            switch defect {
            case .ignoresConflicts: return try inner.append(batch, at: newest)
            case .namesWrongVersion: throw .conflict(version: expected)
            case .keepsOutcomesOfConflicts:
                try inner.append(JournalBatch(outcomes: batch.outcomes), at: newest)
                throw error
            default: throw error
            }
        }
        table.withLock { $0.own += batch.records.map(\.version) }
    }

    func tail(from version: UInt64) throws(JournalError) -> [Record] {
        if defect == .forgetsSilently, version < inner.oldestVersion - 1 { return [] }
        if defect == .tailBeginsTooEarly, version > 0 {
            return try inner.tail(from: version - 1)
        }
        let records = try inner.tail(from: version)
        guard defect == .tailIsOld else { return records }
        let own = Set(table.withLock { $0.own })
        return records.filter { own.contains($0.version) }
    }

    func watch(_ appended: @escaping @Sendable (UInt64) -> Void) -> PlainCommand? {
        switch defect {
        case .hasNoWatch: return nil
        case .neverNotifies: return PlainCommand {}
        case .notifiesAfterTheEnd:
            _ = inner.watch(appended)
            return PlainCommand {}
        default: return inner.watch(appended)
        }
    }

    func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
        var page = page
        if defect == .pagesAreTooLarge, page.limit == 10, page.bytesMax == 1 << 20, page.type == nil
        {
            page.limit = 11
        }
        if defect == .forgetsSilently { page.after = max(page.after, inner.oldestVersion - 1) }
        return try inner.read(page)
    }

    func outcomes(
        of keys: [IdempotencyKey]
    ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] {
        if losesKeys { return [:] }
        if defect == .looksUpOne, keys.count > 1 { return try inner.outcomes(of: [keys[0]]) }
        var found = try inner.outcomes(of: keys)
        guard defect == .forgetsPrincipals else { return found }
        for key in keys where found[key] == nil {
            found[key] = try inner.outcome(of: IdempotencyKey(principal: "ann", key: key.key))
        }
        return found
    }

    func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
        if defect == .forgetsPrograms { return 1 }
        return try inner.register(program)
    }

    func programs() throws(JournalError) -> [RegisteredProgram] { try inner.programs() }

    func save(_ snapshot: StateSnapshot) throws(JournalError) {
        if defect == .replacesSnapshots {
            table.withLock { $0.snapshots[snapshot.version] = snapshot }
        }
        try inner.save(snapshot)
    }

    func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
        let found = try inner.snapshot(atOrBefore: version)
        return table.withLock { table in found.flatMap { table.snapshots[$0.version] } } ?? found
    }
}

extension JournalBatch {
    /// The batch with each acute accent in one scalar with its letter.
    fileprivate var normalized: JournalBatch {
        func normal(_ text: String) -> String {
            String(
                decoding: Array(text.utf8).replacing([0x65, 0xCC, 0x81], with: [0xC3, 0xA9]),
                as: UTF8.self
            )
        }
        return JournalBatch(
            records: records.map { record in
                Record(
                    version: record.version,
                    time: record.time,
                    type: normal(record.type),
                    payload: record.payload,
                    meta: record.meta,
                    principal: record.principal,
                    requestID: record.requestID,
                    changed: record.changed,
                    cause: record.cause,
                    origin: record.origin,
                    session: record.session,
                    program: record.program
                )
            },
            outcomes: outcomes.map { outcome in
                KeptOutcome(
                    key: IdempotencyKey(
                        principal: outcome.key.principal,
                        key: normal(outcome.key.key)
                    ),
                    fingerprint: outcome.fingerprint,
                    first: outcome.firstVersion,
                    last: outcome.lastVersion,
                    changed: outcome.changed,
                    time: outcome.time
                )
            }
        )
    }
}
