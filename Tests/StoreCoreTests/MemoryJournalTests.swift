import StoreCore
import Testing

@Suite struct MemoryJournalTests {
    private func record(_ version: UInt64, payload: Int = 0, origin: Int = 0) -> Record {
        Record(
            version: version,
            time: 0,
            type: "counted",
            payload: [UInt8](repeating: 0x20, count: payload),
            requestID: "request-\(version)",
            changed: true,
            origin: String(repeating: "o", count: origin)
        )
    }

    private func bytesKept(by journal: MemoryJournal) throws -> Int {
        let page = JournalPageRequest(after: journal.oldestVersion - 1, limit: .max, bytesMax: .max)
        return try journal.read(page).records.reduce(0) { $0 + $1.memoryBytes }
    }

    @Test(arguments: [(payload: 1_000, origin: 0), (0, 1_000), (0, 0)])
    func `records are kept within the bytes, with all their fields`(
        payload: Int,
        origin: Int
    ) throws {
        let retention = Retention(bytesMax: 100_000, recordsMax: 100_000)
        let journal = MemoryJournal(retention: retention)
        for version in 1...2_000 as ClosedRange<UInt64> {
            let one = record(version, payload: payload, origin: origin)
            try journal.append(JournalBatch(records: [one]), at: version - 1)
            #expect(try bytesKept(by: journal) <= 100_000)
        }
        #expect(journal.version == 2_000 && journal.oldestVersion > 1)
        #expect(try bytesKept(by: journal) > 95_000)
    }

    @Test func `the newest record is kept at any size`() throws {
        let journal = MemoryJournal(retention: Retention(bytesMax: 1_000, recordsMax: 10))
        try journal.append(JournalBatch(records: [record(1), record(2, payload: 5_000)]), at: 0)
        #expect(journal.oldestVersion == 2)
        #expect(
            try journal.read(JournalPageRequest(after: 1, limit: 10)).records.map(\.version) == [2]
        )
    }

    @Test func `pages begin at the right record after any number was forgotten`() throws {
        let journal = MemoryJournal(retention: Retention(bytesMax: nil, recordsMax: 100))
        for version in 1...1_000 as ClosedRange<UInt64> {
            try journal.append(JournalBatch(records: [record(version)]), at: version - 1)
            let after = max(journal.oldestVersion - 1, version / 2)
            let page = try journal.read(JournalPageRequest(after: after, limit: 3))
            #expect(page.records.map(\.version) == Array(((after + 1)...version).prefix(3)))
        }
        #expect(throws: JournalError.gone(oldest: 901)) {
            try journal.read(JournalPageRequest(after: 899, limit: 1))
        }
    }
}
