import StoreCore
import Testing

@Suite struct JournalTests {
    static let kinds = JournalKind.allCases

    static func record(_ version: UInt64, type: String = "counted", bytes: Int = 0) -> Record {
        Record(
            version: version,
            time: Int64(version) * 1_000,
            type: type,
            payload: Array(#"{"number":\#(version)}"#.utf8) + Array(repeating: 0x20, count: bytes),
            meta: version.isMultiple(of: 2) ? Array("{}".utf8) : nil,
            principal: version.isMultiple(of: 3) ? "ann" : nil,
            requestID: version.isMultiple(of: 5) ? nil : "r\(version)",
            changed: !version.isMultiple(of: 7),
            cause: version.isMultiple(of: 4) ? version - 1 : nil,
            origin: version.isMultiple(of: 6) ? "Home/Home.swift:6" : nil
        )
    }

    static func fill(_ journal: any Journal, to version: UInt64, bytes: Int = 0) throws {
        while journal.version < version {
            let last = min(version, journal.version + 100)
            let records = (journal.version + 1...last).map { record($0, bytes: bytes) }
            try journal.append(JournalBatch(records: records), at: journal.version)
        }
    }

    static func outcome(_ key: String, of principal: String?, at version: UInt64) -> KeptOutcome {
        KeptOutcome(
            key: IdempotencyKey(principal: principal, key: key),
            fingerprint: [1, 2, UInt8(truncatingIfNeeded: version)],
            first: version,
            last: version,
            changed: true,
            time: Int64(version)
        )
    }

    @Test(arguments: kinds)
    func `an empty journal is at version 0 and has nothing to read`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        #expect(subject.journal.version == 0)
        #expect(subject.journal.oldest == 1)
        #expect(
            try subject.journal.read(JournalPage(after: 0, limit: 10))
                == JournalRecords(records: [], through: 0)
        )
        #expect(try subject.journal.snapshot(atOrBefore: .max) == nil)
    }

    @Test(arguments: kinds)
    func `what is appended is read in order, as it was`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        let records = (1...10).map { Self.record($0) }
        try subject.journal.append(JournalBatch(records: Array(records[..<4])), at: 0)
        try subject.journal.append(JournalBatch(records: Array(records[4...])), at: 4)
        #expect(subject.journal.version == 10)
        #expect(
            try subject.journal.read(JournalPage(after: 0, limit: 100))
                == JournalRecords(records: records, through: 10)
        )
    }

    @Test(arguments: kinds)
    func `types and keys are told apart by their bytes`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        let twins = ["cards/\u{E9}/liked", "cards/e\u{301}/liked"]
        try subject.journal.append(
            JournalBatch(
                records: twins.enumerated().map { Self.record(UInt64($0) + 1, type: $1) },
                outcomes: twins.enumerated().map { place, key in
                    Self.outcome(key, of: nil, at: UInt64(place) + 1)
                }
            ),
            at: 0
        )
        for (place, twin) in twins.enumerated() {
            let page = JournalPage(after: 0, limit: 10, type: twin)
            let found = try subject.journal.read(page).records
            #expect(found.map(\.version) == [UInt64(place) + 1])
            #expect(found.map { Array($0.type.utf8) } == [Array(twin.utf8)])
            let kept = try subject.journal.outcome(of: IdempotencyKey(key: twin))
            #expect(kept?.first == UInt64(place) + 1)
        }
    }

    @Test(arguments: kinds)
    func `a batch for another version is a conflict and leaves nothing`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        try Self.fill(subject.journal, to: 2)
        #expect(throws: JournalError.conflict(version: 2)) {
            try subject.journal.append(JournalBatch(records: [Self.record(2)]), at: 1)
        }
        #expect(throws: JournalError.conflict(version: 2)) {
            try subject.journal.append(JournalBatch(records: [Self.record(4)]), at: 3)
        }
        #expect(subject.journal.version == 2)
        #expect(try subject.journal.read(JournalPage(after: 0, limit: 9)).records.count == 2)
    }

    @Test(arguments: kinds)
    func `pages follow one another without a gap`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        try Self.fill(subject.journal, to: 95)
        var read: [Record] = []
        var after: UInt64 = 0
        while after < 95 {
            let page = try subject.journal.read(JournalPage(after: after, limit: 10))
            #expect(page.records.count <= 10)
            #expect(page.through > after)
            read += page.records
            after = page.through
        }
        #expect(read == (1...95).map { Self.record($0) })
    }

    @Test(arguments: kinds)
    func `a page has no more bytes than asked for, but always one record`(
        kind: JournalKind
    ) throws {
        let subject = try Subject(kind)
        try Self.fill(subject.journal, to: 6, bytes: 1_000)
        let page = try subject.journal.read(JournalPage(after: 1, limit: 10, bytesMax: 2_500))
        #expect(page.records.map(\.version) == [2, 3])
        #expect(page.through == 3)
        let one = try subject.journal.read(JournalPage(after: 3, limit: 10, bytesMax: 1))
        #expect(one.records.map(\.version) == [4])
    }

    @Test(arguments: kinds)
    func `a page of one type tells how far it looked`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        let records = (1...30).map {
            Self.record($0, type: $0.isMultiple(of: 10) ? "rare" : "often")
        }
        try subject.journal.append(JournalBatch(records: records), at: 0)
        let two = try subject.journal.read(JournalPage(after: 0, limit: 2, type: "rare"))
        #expect(two.records.map(\.version) == [10, 20])
        #expect(two.through == 29)
        let rest = try subject.journal.read(JournalPage(after: 29, limit: 2, type: "rare"))
        #expect(rest.records.map(\.version) == [30])
        #expect(rest.through == 30)
        let none = try subject.journal.read(JournalPage(after: 0, limit: 2, type: "never"))
        #expect(none == JournalRecords(records: [], through: 30))
    }

    @Test(arguments: kinds)
    func `a page after the end is empty`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        try Self.fill(subject.journal, to: 3)
        for after: UInt64 in [3, 4, .max] {
            let page = try subject.journal.read(JournalPage(after: after, limit: 1))
            #expect(page == JournalRecords(records: [], through: after))
        }
    }

    @Test(arguments: kinds)
    func `an outcome is found by its key and its principal, and only by both`(
        kind: JournalKind
    ) throws {
        let subject = try Subject(kind)
        let outcomes = [
            Self.outcome("k", of: nil, at: 1), Self.outcome("k", of: "", at: 2),
            Self.outcome("k", of: "ann", at: 3), Self.outcome("=ann", of: nil, at: 4),
        ]
        let batch = JournalBatch(records: (1...4).map { Self.record($0) }, outcomes: outcomes)
        try subject.journal.append(batch, at: 0)
        for outcome in outcomes {
            #expect(try subject.journal.outcome(of: outcome.key) == outcome)
        }
        #expect(try subject.journal.outcome(of: IdempotencyKey(principal: "bob", key: "k")) == nil)
        #expect(try subject.journal.outcome(of: IdempotencyKey(key: "l")) == nil)
    }

    @Test(arguments: kinds)
    func `a later outcome of the same key takes the place of the first`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        for version: UInt64 in 1...2 {
            let batch = JournalBatch(
                records: [Self.record(version)],
                outcomes: [Self.outcome("k", of: "ann", at: version)]
            )
            try subject.journal.append(batch, at: version - 1)
        }
        let key = IdempotencyKey(principal: "ann", key: "k")
        #expect(try subject.journal.outcome(of: key)?.first == 2)
    }

    @Test(arguments: kinds)
    func `the newest snapshot that is not too new is found`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        try Self.fill(subject.journal, to: 30)
        let snapshots = [10, 20, 30].map {
            StateSnapshot(version: $0, time: 5, state: Array("{\"n\":\($0)}".utf8), form: "f")
        }
        for snapshot in snapshots { try subject.journal.save(snapshot) }
        #expect(try subject.journal.snapshot(atOrBefore: 9) == nil)
        #expect(try subject.journal.snapshot(atOrBefore: 10) == snapshots[0])
        #expect(try subject.journal.snapshot(atOrBefore: 29) == snapshots[1])
        #expect(try subject.journal.snapshot(atOrBefore: .max) == snapshots[2])
    }

    @Test(arguments: kinds)
    func `a snapshot that is not newer than the newest changes nothing`(kind: JournalKind) throws {
        let subject = try Subject(kind)
        try Self.fill(subject.journal, to: 9)
        let first = StateSnapshot(version: 9, time: 5, state: [1], form: "f")
        try subject.journal.save(first)
        try subject.journal.save(StateSnapshot(version: 9, time: 6, state: [2], form: "f"))
        try subject.journal.save(StateSnapshot(version: 8, time: 7, state: [3], form: "f"))
        #expect(try subject.journal.snapshot(atOrBefore: .max) == first)
        #expect(try subject.journal.snapshot(atOrBefore: 8) == nil)
    }

    @Test(arguments: kinds)
    func `as many snapshots are kept as asked for, the first among them`(kind: JournalKind) throws {
        let subject = try Subject(
            kind,
            Retention(secondsMax: nil, bytesMax: nil, snapshotsMax: 5)
        )
        try Self.fill(subject.journal, to: 200)
        for version in stride(from: UInt64(10), through: 200, by: 10) {
            try subject.journal.save(
                StateSnapshot(version: version, time: 0, state: [1], form: "f")
            )
        }
        var kept: Set<UInt64> = []
        for version: UInt64 in 1...200 {
            if let found = try subject.journal.snapshot(atOrBefore: version) {
                kept.insert(found.version)
            }
        }
        #expect(kept.count == 5)
        #expect(kept.isSuperset(of: [10, 180, 190, 200]))
        #expect(subject.journal.oldestSnapshot == 10)
    }

    @Test(arguments: kinds)
    func `records beyond the count are gone once a snapshot stands for them`(
        kind: JournalKind
    ) throws {
        let subject = try Subject(
            kind,
            Retention(secondsMax: nil, bytesMax: nil, recordsMax: 1_500)
        )
        try Self.fill(subject.journal, to: 3_000)
        try subject.journal.save(StateSnapshot(version: 1_500, time: 0, state: [1], form: "f"))
        #expect(subject.journal.oldest == 1_501)
        #expect(throws: JournalError.gone(oldest: 1_501)) {
            try subject.journal.read(JournalPage(after: 1_499, limit: 1))
        }
        let page = try subject.journal.read(JournalPage(after: 1_500, limit: 1))
        #expect(page.records == [Self.record(1_501)])
    }

    @Test(arguments: kinds)
    func `appends and reads go on after records were forgotten`(kind: JournalKind) throws {
        let subject = try Subject(kind, Retention(secondsMax: nil, bytesMax: nil, recordsMax: 10))
        try Self.fill(subject.journal, to: 50)
        try subject.journal.save(StateSnapshot(version: 40, time: 0, state: [1], form: "f"))
        try Self.fill(subject.journal, to: 60)
        #expect(
            try subject.journal.read(JournalPage(after: 50, limit: 100)).records
                == (51...60).map { Self.record($0) }
        )
    }

    @Test func `two journals have two epochs`() throws {
        let one = try Subject(.sqlite)
        let other = try Subject(.sqlite)
        #expect(one.journal.epoch != other.journal.epoch)
    }
}
