import StoreCore
import StorePlatform
import StoreTesting
import Synchronization
import Testing

/// Two engines on one history.
@Suite struct SharedJournalTests {
    /// Returns two writers of a history: a slow writer, which can be overtaken, and a fast writer.
    private func pair() -> (slow: TextWriter, journal: OvertakenJournal, fast: TextWriter) {
        let history = MemoryJournal()
        let journal = OvertakenJournal(history)
        return (TextWriter(journal), journal, TextWriter(history.makeJournalOfSameHistory()))
    }

    @Test func `a batch that comes second is reduced again on the first batch's state`() throws {
        let (slow, journal, fast) = pair()
        journal.beforeNextAppend { _ = try? fast.send("a") }
        guard case .applied(2, 3, true, let state)? = try slow.send("b", "c").all.values.first
        else {
            Issue.record("The batch was not applied as versions 2 and 3.")
            return
        }
        #expect(state?.value as? [String] == ["a", "b", "c"])
        #expect(try journal.tail(from: 0).map(\.type) == ["a", "b", "c"])
    }

    @Test func `readers get other writers' versions before the versions behind them`() throws {
        let (slow, journal, fast) = pair()
        let seen = Journaled<[String]>()
        slow.core.observe { seen.add($0) }
        journal.beforeNextAppend { _ = try? fast.send("a") }
        try slow.send("b")
        #expect(seen.values == [[], ["a"], ["a", "b"]])
        #expect(
            slow.sink.events.values == [
                .reduced(1), .rolledBack, .reduced(1), .committed(1), .completed, .reduced(2),
                .committed(2), .completed,
            ]
        )
    }

    @Test func `a request that comes second is judged again`() throws {
        let (slow, journal, fast) = pair()
        journal.beforeNextAppend { _ = try? fast.send("a") }
        guard case .refused(_, 0)? = try slow.send("a").all.values.first else {
            Issue.record("The same text was added twice.")
            return
        }
        journal.beforeNextAppend { _ = try? fast.send("b") }
        guard
            case .versionMismatch(current: 2)? = try slow.send("c", expecting: 1).all.values.first
        else {
            Issue.record("Version 1 was over when the append came.")
            return
        }
        journal.beforeNextAppend { _ = try? fast.send("d", key: "k") }
        guard case .replayed(let kept)? = try slow.send("d", key: "k").all.values.first else {
            Issue.record("A request was applied twice.")
            return
        }
        #expect(kept.firstVersion == 3)
        #expect(try journal.tail(from: 0).map(\.type) == ["a", "b", "d"])
    }

    @Test func `an idle engine reads the records that it is notified of`() throws {
        let history = MemoryJournal()
        let idle = TextWriter(history)
        let other = TextWriter(history.makeJournalOfSameHistory())
        let seen = Journaled<[String]>()
        idle.core.observe { seen.add($0) }
        try other.send("a", "b")
        #expect(seen.values == [[], ["a"], ["a", "b"]])
    }

    @Test func `a request that refers to a version of another engine waits for it`() throws {
        let (slow, _, fast) = pair()
        try fast.send("a", key: "k")
        guard case .replayed? = try slow.send("a", key: "k").all.values.first else {
            Issue.record("The key of another engine was not found.")
            return
        }
        #expect(slow.sink.events.values.contains(.committed(1)))
        try fast.send("b")
        guard case .applied(3, 3, _, _)? = try slow.send("c", expecting: 2).all.values.first else {
            Issue.record("Version 2 is there.")
            return
        }
        guard
            case .versionMismatch(current: 3)? = try slow.send("d", expecting: 9).all.values.first
        else {
            Issue.record("There is no version 9.")
            return
        }
    }

    @Test func `a writer that others overtake again and again gives up at the bound`() throws {
        let (slow, journal, fast) = pair()
        for count in 0..<100 { journal.beforeNextAppend { _ = try? fast.send("a\(count)") } }
        guard case .failed(.contended)? = try slow.send("b").all.values.first else {
            Issue.record("There is no bound.")
            return
        }
        #expect(slow.journal.version == 65)
        #expect(slow.failures.values.isEmpty)
    }

    @Test func `a journal that can't be read at the moment refuses one request alone`() throws {
        let (slow, journal, fast) = pair()
        try fast.send("a")
        journal.failTail(with: .unknown("it is away"))
        guard case .failed(.journalUnreadable)? = try slow.send("b").all.values.first else {
            Issue.record("The state of version 1 is not known.")
            return
        }
        #expect(slow.failures.values == [.unknown("it is away")])
        journal.failTail(with: nil)
        guard case .applied(2, 2, _, _)? = try slow.send("b").all.values.first else {
            Issue.record("It can be read again.")
            return
        }
    }

    @Test(
        arguments: [
            JournalError.gone(oldest: 7), .corrupt("version 1 is damaged"),
        ]
    )
    func `an engine that can't go on from other writers' records ends`(error: JournalError) throws {
        let (slow, journal, fast) = pair()
        try fast.send("a")
        journal.failTail(with: error)
        guard case .failed(.journalFailed)? = try slow.send("b").all.values.first else {
            Issue.record("It went on.")
            return
        }
        #expect(slow.failures.values == [error])
        journal.failTail(with: nil)
        guard case .failed(.journalFailed)? = try slow.send("c").all.values.first else {
            Issue.record("It went on after all.")
            return
        }
    }

    @Test func `a program that refuses an action that another applied ends`() throws {
        let history = MemoryJournal()
        let other = TextWriter(history.makeJournalOfSameHistory())
        let reader = TypeReader { type throws(UnreadableRecord) in
            throw UnreadableRecord(type: type, version: 1, reason: "Who knows?")
        }
        let writer = TextWriter(history, reader: reader)
        try other.send("a")
        #expect(
            writer.failures.values == [
                .corrupt(
                    "this program can't apply version 1 (a), which another writer has appended: "
                        + "Who knows?"
                )
            ]
        )
    }

    @Test func `the keys of all waiting requests are looked up in a single call`() throws {
        let journal = OvertakenJournal(MemoryJournal())
        let writer = TextWriter(journal, driver: .thread)
        let sent = try (0..<20).map { try writer.send("a\($0)", key: "k\($0 % 15)") }
        while writer.core.runTurn() {}
        #expect(journal.lookUps.values == [20])
        let applied = sent.filter {
            if case .applied? = $0.all.values.first { true } else { false }
        }
        #expect(applied.count == 15)
        #expect(journal.version == 15)
    }

    @Test func `keys are looked up again after appends of others`() throws {
        let history = MemoryJournal()
        let journal = OvertakenJournal(history)
        let fast = TextWriter(history.makeJournalOfSameHistory())
        let slow = TextWriter(journal, driver: .thread)
        journal.beforeNextAppend { _ = try? fast.send("b", key: "k1") }
        let sent = try (0..<3).map { try slow.send("a\($0)", key: "k\($0)") }
        while slow.core.runTurn() {}
        guard case .replayed(let kept)? = sent[1].all.values.first else {
            Issue.record("The second one was applied twice.")
            return
        }
        #expect(kept.firstVersion == 1)
        #expect(journal.lookUps.values == [3, 3])
        #expect(try journal.tail(from: 0).map(\.type) == ["b", "a0", "a2"])
    }

    @Test(arguments: EngineTests.threads)
    func `two engines that work at once make a single order without a hole`(
        _ driver: CoreConfiguration<[String]>.Driver
    ) throws {
        let history = MemoryJournal(retention: .forever)
        let writers = [
            TextWriter(history, driver: driver),
            TextWriter(history.makeJournalOfSameHistory(), driver: driver),
        ]
        for writer in writers { writer.core.start() }
        var sent: [Outcomes] = []
        for number in 0..<300 {
            for (place, writer) in writers.enumerated() {
                sent.append(try writer.send("\(place).\(number)", key: "\(place).\(number)"))
            }
        }
        for writer in writers { writer.core.stop() }
        let applied = sent.filter {
            if case .applied? = $0.all.values.first { true } else { false }
        }
        #expect(sent.allSatisfy { $0.all.values.count == 1 })
        let records = try history.tail(from: 0)
        #expect(records.count == applied.count)
        #expect(records.map(\.version) == (0..<records.count).map { UInt64($0) + 1 })
        #expect(Set(records.map(\.type)).count == records.count)
        #expect(writers.allSatisfy { $0.failures.values.isEmpty })
    }

    @Test func `a key is applied once, also if its batch is applied again action by action`()
        throws
    {
        let writer = TextWriter(MemoryJournal(), driver: .thread)
        writer.sink.unshowable.withLock { unshowable in
            unshowable = { $0.contains("bad") ? Refusal(reason: "It can't be shown.") : nil }
        }
        let sent = try [
            writer.send("a", key: "k"), writer.send("bad"), writer.send("a", key: "k"),
        ]
        while writer.core.runTurn() {}
        guard case .applied? = sent[0].all.values.first, case .refused? = sent[1].all.values.first,
            case .replayed? = sent[2].all.values.first
        else {
            Issue.record("\(sent.map(\.all.values))")
            return
        }
        #expect(writer.journal.version == 1)
    }
}
