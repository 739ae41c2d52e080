import StoreCore
import StoreJournalSQLite
import StorePlatform
import Synchronization

/// A history that is the same in every test, and the part of the history that a journal returns.
struct SampleHistory: Equatable {
    var records: [Record]
    var outcomes: [KeptOutcome?]
    var snapshot: StateSnapshot?

    static let keys = stride(from: UInt64(5), through: 400, by: 5).map { $0 }

    static func record(_ version: UInt64) -> Record {
        let fill = Int(version * 37 % 240)
        return Record(
            version: version,
            time: 1_700_000_000_000_000_000 + Int64(version),
            type: version.isMultiple(of: 4) ? "TodoAdded" : "StepChangeRequested",
            payload: Array(
                #"{"n":\#(version),"t":"\#(String(repeating: "x", count: fill))"}"#.utf8
            ),
            meta: version.isMultiple(of: 9) ? Array(#"{"source":"test"}"#.utf8) : nil,
            principal: version.isMultiple(of: 3) ? ActionPrincipal("ann") : nil,
            requestID: "request-\(version)",
            changed: !version.isMultiple(of: 10),
            cause: version > 60 && version.isMultiple(of: 7) ? version - 1 : nil,
            origin: version > 60 && version.isMultiple(of: 7) ? "Home/Home.swift:7" : nil,
            session: version > 60 && version % 5 > 2 ? "session-\(version % 2)" : nil,
            program: version > 60 && version % 4 > 1 ? UInt32(version % 9) : 0
        )
    }

    static func outcome(_ version: UInt64) -> KeptOutcome {
        KeptOutcome(
            key: IdempotencyKey(
                principal: version.isMultiple(of: 2) ? "ann" : nil,
                key: "k\(version)"
            ),
            fingerprint: Array(repeating: UInt8(truncatingIfNeeded: version), count: 32),
            first: version,
            last: version,
            changed: true,
            time: 1_700_000_000_000_000_000 + Int64(version)
        )
    }

    static func snapshot(_ version: UInt64) -> StateSnapshot {
        var state = "{\"at\":\(version)"
        for number in 0..<300 { state += ",\"key\(number)\":\(number * Int(version) % 9_973)" }
        return StateSnapshot(
            version: version,
            time: 1_700_000_000_000_000_000 + Int64(version),
            state: Array((state + "}").utf8),
            form: "form-1"
        )
    }

    /// Appends records up to a version, a few at a time.
    static func append(to journal: SQLiteJournal, through last: UInt64) throws {
        while journal.version < last {
            let versions = journal.version + 1...min(journal.version + 7, last)
            let batch = JournalBatch(
                records: versions.map(record),
                outcomes: versions.filter { $0.isMultiple(of: 5) }.map(outcome)
            )
            try journal.append(batch, at: journal.version)
        }
    }

    /// Reads everything that a journal returns.
    init(of journal: SQLiteJournal) throws {
        records = []
        var after = journal.oldestVersion - 1
        while after < journal.version {
            let page = try journal.read(JournalPageRequest(after: after, limit: 100))
            records += page.records
            after = page.through
        }
        outcomes = try Self.keys.map { try journal.outcome(of: Self.outcome($0).key) }
        snapshot = try journal.snapshot(atOrBefore: .max)
    }
}

/// Lines that a journal logs.
final class Lines: Sendable {
    private let collected = Locked<[String]>([])

    var all: [String] { collected.withLock { $0 } }

    func add(_ line: String) {
        collected.withLock { $0.append(line) }
    }
}

extension SQLiteJournal {
    /// Opens the journal in a folder.
    static func open(
        _ folder: Folder,
        acceptDataLoss: Bool = false,
        keepsForm: Bool = false,
        retention: Retention = .forever,
        clock: any WallClock = SystemClock(),
        lines: Lines = Lines()
    ) throws -> SQLiteJournal {
        try SQLiteJournal(
            directory: folder.path,
            retention: retention,
            clock: clock,
            acceptDataLoss: acceptDataLoss,
            keepsForm: keepsForm,
            log: { lines.add($0) }
        )
    }
}

/// Opens and closes the journal in a folder. Returns the error if the folder is refused.
func refusal(of folder: Folder, acceptDataLoss: Bool = false) throws -> JournalOpenError? {
    do {
        try SQLiteJournal.open(folder, acceptDataLoss: acceptDataLoss).close()
        return nil
    } catch let error as JournalOpenError {
        return error
    }
}
