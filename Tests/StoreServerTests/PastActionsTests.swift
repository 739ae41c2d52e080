import StoreCore
import Testing

@testable import StoreActionCatalog
@testable import StoreHistory

/// The sessions of the journal's actions when they are read again.
@Suite struct PastActionsTests {
    private struct Added: Action, Codable {}

    private static func record(
        _ version: UInt64,
        cause: UInt64? = nil,
        origin: String? = nil,
        session: String? = nil
    ) -> Record {
        Record(
            version: version,
            time: 0,
            type: "Added",
            payload: Array("{}".utf8),
            changed: true,
            cause: cause,
            origin: origin,
            session: session
        )
    }

    private func sessions(of records: [Record]) throws -> [String?] {
        let journal = MemoryJournal()
        try journal.append(JournalBatch(records: records), at: 0)
        let registry = try ActionRegistry<Int>([Added.self])
        let past = PastActionReader(journal, RecordForms(registry.table, []))
        return records.map { past.action(of: $0.version)?.session }
    }

    @Test func `the session of an action is its record's, with any origin and cause`() throws {
        let found = try sessions(of: [
            Self.record(1, session: "ada"),
            Self.record(2, cause: 1, origin: "Home.swift:1", session: "bob"),
            Self.record(3, origin: "127.0.0.1 session=eve curl", session: "cid"),
        ])
        #expect(found == ["ada", "bob", "cid"])
    }

    @Test func `records of before they had a session are followed back by their causes`() throws {
        let found = try sessions(of: [
            Self.record(1, origin: "127.0.0.1 session=ada curl"),
            Self.record(2, cause: 1, origin: "Home.swift:1"),
            Self.record(3, cause: 2, origin: "Home.swift:2"),
            Self.record(4, origin: "127.0.0.1 curl"),
            Self.record(5, cause: 4, origin: "Home.swift:1"),
            Self.record(6, session: "bob"),
            Self.record(7, cause: 6, origin: "Home.swift:1"),
        ])
        #expect(found == ["ada", "ada", "ada", nil, nil, "bob", "bob"])
    }
}
