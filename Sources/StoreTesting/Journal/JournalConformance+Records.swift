import StoreCore

// Appending and reading.

extension JournalConformance {
    static func checkEmpty(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        check.expect("the version", journal.version, is: 0)
        check.expect("the oldest version", journal.oldest, is: 1)
        let page = try journal.read(JournalPage(after: 0, limit: 10))
        check.expect("a page", page, is: JournalRecords(records: [], through: 0))
        check.expect("the tail", try journal.tail(from: 0), are: [])
        check.expect(try journal.snapshot(atOrBefore: .max) == nil, "there is a snapshot")
        check.expect("the newest snapshot", journal.newestSnapshot, is: nil)
        check.expect("the oldest snapshot", journal.oldestSnapshot, is: nil)
    }

    static func checkOrder(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        let records = JournalSamples.records(1...10)
        try journal.append(JournalBatch(records: Array(records[..<4])), at: 0)
        check.expect("the version after four records", journal.version, is: 4)
        try journal.append(JournalBatch(records: Array(records[4...])), at: 4)
        check.expect("the version after ten", journal.version, is: 10)
        let page = try journal.read(JournalPage(after: 0, limit: 100))
        check.expect("all records", page.records, are: records)
        check.expect("the end of the page", page.through, is: 10)
    }

    static func checkBytes(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        let twins = JournalSamples.twins
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
        check.expect("records", try journal.tail(from: 0), are: records)
        for (place, text) in twins.enumerated() {
            let page = JournalPage(after: 0, limit: 10, type: text)
            let found = try journal.read(page).records
            check.expect("those of type \(place + 1)", found, are: [records[place]])
            let outcome = try journal.outcome(of: outcomes[place].key)
            check.expect("the outcome of key \(place + 1)", outcome, is: outcomes[place])
        }
    }

    static func checkSize(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        let large = JournalSamples.record(1, bytes: 4 << 20)
        try journal.append(JournalBatch(records: [large]), at: 0)
        let many = JournalSamples.records(2...3_000)
        try journal.append(JournalBatch(records: many), at: 1)
        let first = try journal.read(JournalPage(after: 0, limit: 1, bytesMax: 8 << 20)).records
        check.expect(first == [large], "a record of 4 MiB is not as it was")
        let rest = try journal.read(JournalPage(after: 1, limit: .max, bytesMax: .max)).records
        check.expect("a batch of 2,999", rest, are: many)
    }

    static func checkPages(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        try JournalSamples.fill(journal, to: 95)
        var read: [Record] = []
        var after: UInt64 = 0
        while after < 95 {
            let page = try journal.read(JournalPage(after: after, limit: 10))
            check.expect(page.records.count <= 10, "a page of 10 has \(page.records.count)")
            guard page.through > after else {
                return check.fail("the page after \(after) ends at \(page.through)")
            }
            read += page.records
            after = page.through
        }
        check.expect("all pages", read, are: JournalSamples.records(1...95))
    }

    static func checkPageBytes(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        try JournalSamples.fill(journal, to: 6, bytes: 1_000)
        let page = try journal.read(JournalPage(after: 1, limit: 10, bytesMax: 2_500))
        check.expect("versions of 2,500 bytes", page.records.map(\.version), is: [2, 3])
        check.expect("the end of that page", page.through, is: 3)
        let one = try journal.read(JournalPage(after: 3, limit: 10, bytesMax: 1))
        check.expect("versions of one byte", one.records.map(\.version), is: [4])
    }

    static func checkPageOfType(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        let records = (1...30).map {
            JournalSamples.record($0, type: $0.isMultiple(of: 10) ? "rare" : "often")
        }
        try journal.append(JournalBatch(records: records), at: 0)
        let two = try journal.read(JournalPage(after: 0, limit: 2, type: "rare"))
        check.expect("the first two", two.records.map(\.version), is: [10, 20])
        check.expect("the end of their page", two.through, is: 29)
        let rest = try journal.read(JournalPage(after: 29, limit: 2, type: "rare"))
        check.expect("the rest", rest.records.map(\.version), is: [30])
        check.expect("the end of the rest", rest.through, is: 30)
        let none = try journal.read(JournalPage(after: 0, limit: 2, type: "never"))
        check.expect("none", none, is: JournalRecords(records: [], through: 30))
    }

    static func checkEnd(_ check: inout JournalCheck) throws {
        let journal = try check.journal()
        try JournalSamples.fill(journal, to: 3)
        for after: UInt64 in [3, 4, .max] {
            let page = try journal.read(JournalPage(after: after, limit: 1))
            let empty = JournalRecords(records: [], through: after)
            check.expect("the page after \(after)", page, is: empty)
            check.expect("the tail from \(after)", try journal.tail(from: after), are: [])
        }
    }
}
