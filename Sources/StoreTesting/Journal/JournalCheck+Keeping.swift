import StoreCore

// Checks of outcomes, snapshots and programs, and of the data that outlives the process.

extension JournalCheck {
    mutating func checkOutcomes(_ journal: any Journal) throws {
        let outcomes = [
            JournalSamples.outcome("k", of: nil, at: 1),
            JournalSamples.outcome("k", of: "", at: 2),
            JournalSamples.outcome("k", of: "ann", at: 3),
            JournalSamples.outcome("=ann", of: nil, at: 4),
            JournalSamples.outcome("caf\u{E9}", of: "ann", at: 5),
            JournalSamples.outcome("cafe\u{301}", of: "ann", at: 6),
        ]
        let records = JournalSamples.records(1...6)
        try journal.append(JournalBatch(records: records, outcomes: outcomes), at: 0)
        for outcome in outcomes {
            let found = try journal.outcomes(of: [outcome.key])
            expect("the outcome of \(outcome.key)", found, is: [outcome.key: outcome])
        }
        let unknown = [
            IdempotencyKey(principal: "bob", key: "k"), IdempotencyKey(key: "l"),
            IdempotencyKey(key: "caf\u{E9}"),
        ]
        let found = try journal.outcomes(of: unknown + outcomes.map(\.key) + unknown)
        let all = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.key, $0) })
        expect("all in one call", found, is: all)
        expect("the outcomes of no keys", try journal.outcomes(of: []), is: [:])
    }

    mutating func checkNewerOutcome(_ journal: any Journal) throws {
        for version: UInt64 in 1...2 {
            let batch = JournalBatch(
                records: [JournalSamples.record(version)],
                outcomes: [JournalSamples.outcome("k", of: "ann", at: version)]
            )
            try journal.append(batch, at: version - 1)
        }
        let key = IdempotencyKey(principal: "ann", key: "k")
        expect("the version of the key", try journal.outcome(of: key)?.firstVersion, is: 2)
    }

    mutating func checkSnapshots(_ journal: any Journal) throws {
        let first = JournalSamples.snapshot(0)
        try journal.save(first)
        expect("snapshot of version 0", try journal.snapshot(atOrBefore: 0), is: first)
        try JournalSamples.fill(journal, to: 30)
        let snapshots = [10, 20, 30].map { JournalSamples.snapshot($0) }
        for snapshot in snapshots { try journal.save(snapshot) }
        expect("snapshot before 10", try journal.snapshot(atOrBefore: 9), is: first)
        expect("snapshot of 10", try journal.snapshot(atOrBefore: 10), is: snapshots[0])
        expect("snapshot before 30", try journal.snapshot(atOrBefore: 29), is: snapshots[1])
        expect("the newest", try journal.snapshot(atOrBefore: .max), is: snapshots[2])
        expect("the newest version", journal.newestSnapshotVersion, is: 30)
        expect("the oldest version", journal.oldestSnapshotVersion, is: 0)
    }

    mutating func checkOldSnapshot(_ journal: any Journal) throws {
        try JournalSamples.fill(journal, to: 9)
        let first = JournalSamples.snapshot(9)
        try journal.save(first)
        try journal.save(JournalSamples.snapshot(9, "other"))
        try journal.save(JournalSamples.snapshot(8, "older"))
        expect("the newest", try journal.snapshot(atOrBefore: .max), is: first)
        expect("snapshot before 9", try journal.snapshot(atOrBefore: 8), is: nil)
    }

    mutating func checkForgetting(_ journal: any Journal) throws {
        guard let makeSmall = subject.makeSmall else { return }
        let journal = closeAtEnd(try makeSmall())
        try journal.save(JournalSamples.snapshot(0))
        try JournalSamples.fill(journal, to: 1_000)
        try journal.save(JournalSamples.snapshot(850))
        try JournalSamples.fill(journal, to: 1_010)
        try journal.save(JournalSamples.snapshot(1_010))
        let oldest = journal.oldestVersion
        expect(oldest > 1, "1,010 records are kept; at most 100 are allowed")
        expect(
            oldest <= 1_011,
            "the oldest version is \(oldest), although only 1,010 versions were appended"
        )
        guard oldest > 1, oldest <= 1_011 else { return }
        if oldest > 2 {
            let page = JournalPageRequest(after: oldest - 2, limit: 1)
            expect("a page before the oldest", throws: .gone(oldest: oldest)) {
                () throws(JournalError) in _ = try journal.read(page)
            }
        }
        expect("the tail from 0", throws: .gone(oldest: oldest)) {
            () throws(JournalError) in _ = try journal.tail(from: 0)
        }
        let rest = oldest > 1_010 ? [] : JournalSamples.records(oldest...1_010)
        expect("the rest", try journal.tail(from: oldest - 1), are: rest)
        guard let first = journal.oldestSnapshotVersion else {
            return fail("no snapshot is left to start a replay from")
        }
        expect(first + 1 >= oldest, "records after the oldest snapshot, \(first), are missing")
        expect("its version", try journal.snapshot(atOrBefore: first)?.version, is: first)
        try JournalSamples.fill(journal, to: 1_020)
        let newest = JournalSamples.records(1_011...1_020)
        expect("the records appended after that", try journal.tail(from: 1_010), are: newest)
    }

    mutating func checkFull(_ journal: any Journal) throws {
        guard let setFull = subject.setFull else { return }
        try setFull(journal, true)
        var batch = JournalBatch()
        while true {
            let version = journal.version
            guard version < 10_000 else { return fail("10,000 records find room") }
            let records = (version + 1...version + 50).map {
                JournalSamples.record($0, bytes: 1_000)
            }
            let outcome = JournalSamples.outcome("k\(version)", at: version + 1)
            batch = JournalBatch(records: records, outcomes: [outcome])
            do throws(JournalError) {
                try journal.append(batch, at: version)
            } catch {
                guard error == .storageFull else { throw error }
                break
            }
        }
        let version = journal.version
        expect("one more", throws: .storageFull) {
            () throws(JournalError) in try journal.append(batch, at: version)
        }
        expect("the version of a full journal", journal.version, is: version)
        expect("its tail", try journal.tail(from: version), are: [])
        let keys = batch.outcomes.map(\.key)
        expect("the kept outcome of the key", try journal.outcomes(of: keys), is: [:])
        try setFull(journal, false)
        try journal.append(batch, at: version)
        expect("the tail with room", try journal.tail(from: version), are: batch.records)
    }

    mutating func checkClose(_ journal: any Journal) throws {
        try JournalSamples.fill(journal, to: 1)
        journal.close()
        journal.close()
    }

    mutating func checkReopen(_ journal: any Journal) throws {
        guard let reopen = subject.reopen else { return }
        try journal.save(JournalSamples.snapshot(0))
        try JournalSamples.fill(journal, to: 120)
        let snapshot = JournalSamples.snapshot(100)
        try journal.save(snapshot)
        let outcome = JournalSamples.outcome("caf\u{E9}", of: "ann", at: 121)
        let last = JournalBatch(records: [JournalSamples.record(121)], outcomes: [outcome])
        try journal.append(last, at: 120)
        let epoch = journal.epoch
        let program = ProgramDescription(digest: "forms", forms: Array("[]".utf8))
        let number = try journal.register(program)
        let again = closeAtEnd(try reopen(journal))
        let programs = [RegisteredProgram(number: number, program: program)]
        expect("the programs", try again.programs(), is: programs)
        expect("the epoch", again.epoch, is: epoch)
        expect("the version", again.version, is: 121)
        expect("the records", try again.tail(from: 0), are: JournalSamples.records(1...121))
        expect("the outcome", try again.outcome(of: outcome.key), is: outcome)
        let twin = IdempotencyKey(principal: "ann", key: "cafe\u{301}")
        expect("the outcome of its twin", try again.outcome(of: twin), is: nil)
        expect("the snapshot", try again.snapshot(atOrBefore: .max), is: snapshot)
        try again.append(JournalBatch(records: [JournalSamples.record(122)]), at: 121)
        expect("the version after one more", again.version, is: 122)
    }

    private static func sampleProgram(_ number: Int) -> ProgramDescription {
        ProgramDescription(
            digest: "digest-\(number)",
            forms: Array(#"[{"name":"n\#(number)"}]"#.utf8)
        )
    }

    mutating func checkPrograms(_ journal: any Journal) throws {
        expect("the programs of an empty journal", try journal.programs(), is: [])
        let first = try journal.register(Self.sampleProgram(1))
        let second = try journal.register(Self.sampleProgram(2))
        expect(
            first > 0 && second > 0 && first != second,
            "the numbers of two programs are \(first) and \(second), not two different numbers "
                + "above 0"
        )
        expect(
            "the number of the first program, which registers again",
            try journal.register(Self.sampleProgram(1)),
            is: first
        )
        let known = [
            RegisteredProgram(number: second, program: Self.sampleProgram(2)),
            RegisteredProgram(number: first, program: Self.sampleProgram(1)),
        ]
        expect(
            "both programs, the last registered program at the end",
            try journal.programs(),
            is: known
        )
        var numbers: Set<UInt32> = [first, second]
        for place in 3...RegisteredProgram.countMax + 10 {
            let number = try journal.register(Self.sampleProgram(place))
            expect(numbers.insert(number).inserted, "number \(number) is given twice")
        }
        let kept = try journal.programs()
        expect("the number of programs", kept.count, is: RegisteredProgram.countMax)
        expect(
            "the last",
            kept.last?.program,
            is: Self.sampleProgram(RegisteredProgram.countMax + 10)
        )
        expect("the first program that is kept", kept.first?.program, is: Self.sampleProgram(11))
        expect(journal.version == 0, "a program has made a version")
    }
}
