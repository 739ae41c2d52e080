import StoreCore
import StoreJSON
import StoreTelemetry
import Synchronization
import Testing

@testable import StoreActionCatalog
@testable import StoreHistory

/// The readers of records on restricted slices, after a person was forgotten.
@Suite struct RecordReadersTests {
    private struct Board: Codable, Equatable, Sendable { var members: [String] = [] }

    private struct Invited: Action, Codable { let member: String }

    /// A history in memory that forgets states.
    private final class ForgetfulJournal: ForgettingJournal {
        let inner = MemoryJournal()
        let forgotten = Atomic<UInt64>(0)

        var oldestRestorableVersion: UInt64 { forgotten.load(ordering: .relaxed) }

        func prepareForget(_ owners: [String], origin: String) {}

        func forget(
            _ owners: [String],
            keeping snapshot: (_ version: UInt64) throws -> StateSnapshot
        ) throws -> UInt64 {
            let kept = try snapshot(version)
            try save(kept)
            forgotten.store(kept.version, ordering: .relaxed)
            return kept.version
        }

        var epoch: UInt32 { inner.epoch }
        var canFail: Bool { inner.canFail }
        var version: UInt64 { inner.version }
        var oldestVersion: UInt64 { inner.oldestVersion }
        var oldestSnapshotVersion: UInt64? { inner.oldestSnapshotVersion }
        var newestSnapshotVersion: UInt64? { inner.newestSnapshotVersion }

        func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
            try inner.append(batch, at: expected)
        }
        func read(_ page: JournalPageRequest) throws(JournalError) -> JournalRecords {
            try inner.read(page)
        }
        func outcomes(
            of keys: [IdempotencyKey]
        ) throws(JournalError) -> [IdempotencyKey: KeptOutcome] { try inner.outcomes(of: keys) }
        func register(_ program: ProgramDescription) throws(JournalError) -> UInt32 {
            try inner.register(program)
        }
        func programs() throws(JournalError) -> [RegisteredProgram] { try inner.programs() }
        func save(_ snapshot: StateSnapshot) throws(JournalError) { try inner.save(snapshot) }
        func snapshot(atOrBefore version: UInt64) throws(JournalError) -> StateSnapshot? {
            try inner.snapshot(atOrBefore: version)
        }
    }

    private let journal = ForgetfulJournal()

    /// Invites members, each in a version of its own.
    private func invite(_ members: String...) throws {
        for member in members {
            let record = Record(
                version: journal.version + 1,
                time: 0,
                type: "Invited",
                payload: try JSONEncoder().encode(Invited(member: member)),
                changed: true
            )
            try journal.append(JournalBatch(records: [record]), at: journal.version)
        }
    }

    private func readers() throws -> ReplayedReaders<Board> {
        let history = try RecoveredHistory(
            of: StoreHistory.Program(state: Board(), migrations: []) { board, action, _, _ in
                if let invited = action as? Invited { board.members.append(invited.member) }
            },
            in: journal,
            registry: ActionRegistry([Invited.self]),
            encoder: JSONEncoder(),
            logger: .standardError
        )
        return ReplayedReaders(history.replay) { board, _ in .principals(board.members) }
    }

    private func forget() throws {
        _ = try journal.forget(["@ada"]) { version in
            StateSnapshot(
                version: version,
                time: 0,
                state: try JSONEncoder().encode(Board(members: ["bob"])),
                form: RecoveredHistory<Board>.stateFormDigest
            )
        }
    }

    private func records(_ versions: ClosedRange<UInt64>) -> [RestrictedRecord] {
        versions.map { RestrictedRecord(version: $0, module: "board", instance: nil) }
    }

    @Test func `records after a forget have readers, also on a page with earlier records`() throws {
        try invite("ada", "bob")
        try forget()
        try invite("cid", "dan")
        let found = try readers().readers(of: records(1...4))
        #expect(found[3] == ["@bob", "@cid"] && found[4] == ["@bob", "@cid", "@dan"])
        #expect(found.keys.sorted() == [3, 4])
    }

    @Test func `no state of before a forget is kept`() throws {
        try invite("ada", "bob", "cid")
        let readers = try readers()
        #expect(readers.readers(of: records(2...2)) == [2: ["@ada", "@bob"]])
        try forget()
        #expect(readers.readers(of: records(3...3)) == [:])
        try invite("dan")
        #expect(readers.readers(of: records(3...4)) == [4: ["@bob", "@dan"]])
    }
}
