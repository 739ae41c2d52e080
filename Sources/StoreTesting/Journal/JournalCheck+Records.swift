import StoreCore

// Checks of appends and reads.

extension JournalCheck {
    mutating func checkEmpty(_ journal: any Journal) throws {
        expect("the version", journal.version, is: 0)
        expect("the oldest version", journal.oldestVersion, is: 1)
        let page = try journal.read(JournalPageRequest(after: 0, limit: 10))
        expect("a page", page, is: JournalRecords(records: [], through: 0))
        expect("the tail", try journal.tail(from: 0), are: [])
        expect(try journal.snapshot(atOrBefore: .max) == nil, "there is a snapshot")
        expect("the newest snapshot", journal.newestSnapshotVersion, is: nil)
        expect("the oldest snapshot", journal.oldestSnapshotVersion, is: nil)
    }

    mutating func checkOrder(_ journal: any Journal) throws {
        let records = JournalSamples.records(1...10)
        try journal.append(JournalBatch(records: Array(records[..<4])), at: 0)
        expect("the version after four records", journal.version, is: 4)
        try journal.append(JournalBatch(records: Array(records[4...])), at: 4)
        expect("the version after ten", journal.version, is: 10)
        let page = try journal.read(JournalPageRequest(after: 0, limit: 100))
        expect("all records", page.records, are: records)
        expect("the end of the page", page.through, is: 10)
    }

    mutating func checkBytes(_ journal: any Journal) throws {
        let twins = JournalSamples.unicodeTwins
        let records = twins.enumerated().map { place, text in
            Record(
                version: UInt64(place) + 1,
                time: .min + Int64(place),
                type: text,
                payload: Array(text.utf8) + [0, 0xFF],
                meta: place == 0 ? [] : [0],
                principal: ActionPrincipal(text),
                requestID: text + "\u{0}",
                changed: place == 0,
                origin: place == 0 ? "" : text,
                session: place == 1 ? "" : text
            )
        }
        let outcomes = twins.enumerated().map { place, text in
            JournalSamples.outcome(text, of: twins[3 - place], at: UInt64(place) + 1)
        }
        try journal.append(JournalBatch(records: records, outcomes: outcomes), at: 0)
        expect("records", try journal.tail(from: 0), are: records)
        for (place, text) in twins.enumerated() {
            let page = JournalPageRequest(after: 0, limit: 10, type: text)
            let found = try journal.read(page).records
            expect("those of type \(place + 1)", found, are: [records[place]])
            let outcome = try journal.outcome(of: outcomes[place].key)
            expect("the outcome of key \(place + 1)", outcome, is: outcomes[place])
        }
    }

    mutating func checkSize(_ journal: any Journal) throws {
        let large = JournalSamples.record(1, bytes: 4 << 20)
        try journal.append(JournalBatch(records: [large]), at: 0)
        let many = JournalSamples.records(2...3_000)
        try journal.append(JournalBatch(records: many), at: 1)
        let first = try journal.read(JournalPageRequest(after: 0, limit: 1, bytesMax: 8 << 20))
            .records
        expect(first == [large], "a record of 4 MiB is not as it was")
        let rest = try journal.read(JournalPageRequest(after: 1, limit: .max, bytesMax: .max))
            .records
        expect("a batch of 2,999", rest, are: many)
    }

    mutating func checkPages(_ journal: any Journal) throws {
        try JournalSamples.fill(journal, to: 95)
        var read: [Record] = []
        var after: UInt64 = 0
        while after < 95 {
            let page = try journal.read(JournalPageRequest(after: after, limit: 10))
            expect(page.records.count <= 10, "a page of 10 has \(page.records.count)")
            guard page.through > after else {
                return fail("the page after \(after) ends at \(page.through)")
            }
            read += page.records
            after = page.through
        }
        expect("all pages", read, are: JournalSamples.records(1...95))
    }

    mutating func checkPageBytes(_ journal: any Journal) throws {
        try JournalSamples.fill(journal, to: 6, bytes: 1_000)
        let page = try journal.read(JournalPageRequest(after: 1, limit: 10, bytesMax: 2_500))
        expect("versions of 2,500 bytes", page.records.map(\.version), is: [2, 3])
        expect("the end of that page", page.through, is: 3)
        let one = try journal.read(JournalPageRequest(after: 3, limit: 10, bytesMax: 1))
        expect("versions of one byte", one.records.map(\.version), is: [4])
    }

    mutating func checkPageOfType(_ journal: any Journal) throws {
        let records = (1...30).map {
            JournalSamples.record($0, type: $0.isMultiple(of: 10) ? "rare" : "often")
        }
        try journal.append(JournalBatch(records: records), at: 0)
        let two = try journal.read(JournalPageRequest(after: 0, limit: 2, type: "rare"))
        expect("the first two", two.records.map(\.version), is: [10, 20])
        expect("the end of their page", two.through, is: 29)
        let rest = try journal.read(JournalPageRequest(after: 29, limit: 2, type: "rare"))
        expect("the rest", rest.records.map(\.version), is: [30])
        expect("the end of the rest", rest.through, is: 30)
        let none = try journal.read(JournalPageRequest(after: 0, limit: 2, type: "never"))
        expect("none", none, is: JournalRecords(records: [], through: 30))
    }

    mutating func checkEnd(_ journal: any Journal) throws {
        try JournalSamples.fill(journal, to: 3)
        for after: UInt64 in [3, 4, .max] {
            let page = try journal.read(JournalPageRequest(after: after, limit: 1))
            let empty = JournalRecords(records: [], through: after)
            expect("the page after \(after)", page, is: empty)
            expect("the tail from \(after)", try journal.tail(from: after), are: [])
        }
    }
}
