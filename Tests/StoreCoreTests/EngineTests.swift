import StoreCore
import StorePlatform
import StoreTesting
import Testing

@Suite struct EngineTests {
    typealias List = [String]

    /// A Core on the caller's thread with every port watched.
    struct Bench {
        let journal = FaultyJournal()
        let sink = RecordingSink<List>()
        let clock = ManualWallClock(at: 1_000)
        let core: Core<List>

        init(mailboxMax: Int = 100, driver: CoreConfiguration<List>.Driver = .caller) {
            var configuration = CoreConfiguration<List>()
            configuration.journal = journal
            configuration.sink = sink
            configuration.clock = clock
            configuration.clientMailboxMax = mailboxMax
            configuration.driver = driver
            configuration.statesDiffer = { $0 != $1 }
            core = Core(state: [], reducer: .throwing(append), configuration: configuration)
        }

        func offer(
            _ actions: [any Action],
            expecting version: UInt64? = nil,
            key: (name: String, body: UInt8)? = nil,
            mode: EnvelopeMode = .apply
        ) throws -> Outcome? {
            let outcomes = Outcomes()
            try core.engine.offer(
                Envelope(
                    members: actions.map {
                        .init(action: $0, type: "\($0)", payload: Array("{}".utf8))
                    },
                    requestID: "r1",
                    condition: version.map { VersionCondition($0) },
                    idempotency: key.map {
                        Idempotency(key: IdempotencyKey(key: $0.name), fingerprint: [$0.body])
                    },
                    mode: mode,
                    returnsState: true,
                    completion: outcomes
                )
            )
            return outcomes.all.values.first
        }
    }

    /// Drivers with threads of their own.
    static let threads: [CoreConfiguration<List>.Driver] = [
        .thread, .pool(ThreadPool(name: "test", threadsMax: 2, idleSecondsMax: 1)),
    ]

    let step = StepChangeRequested(step: 1)

    @Test func `a record has version, time, name, fields and origin`() throws {
        let bench = Bench()
        _ = try bench.offer([step])
        #expect(
            try bench.journal.read(JournalPageRequest(after: 0, limit: 10)).records == [
                Record(
                    version: 1,
                    time: 1_000,
                    type: "StepChangeRequested(step: 1)",
                    payload: Array("{}".utf8),
                    requestID: "r1",
                    changed: true
                )
            ]
        )
    }

    @Test func `the sink is called with the commit before the completions are over`() throws {
        let bench = Bench()
        _ = try bench.offer([step])
        #expect(bench.sink.events.values == [.reduced(1), .committed(1), .completed])
    }

    @Test func `an array is applied whole, with versions in a row`() throws {
        let bench = Bench()
        guard
            case .applied(let first, let last, let changed, let state) = try bench.offer([
                step, step, step,
            ])
        else {
            Issue.record("The array was not applied.")
            return
        }
        #expect(first == 1 && last == 3 && changed && (state?.value as? List)?.count == 3)
    }

    @Test func `a refused member leaves nothing of its array`() throws {
        let bench = Bench()
        _ = try bench.offer([step])
        guard case .refused(let refusal, let member) = try bench.offer([step, Forbidden(), step])
        else {
            Issue.record("The array was not refused.")
            return
        }
        #expect(member == 1 && refusal.reason == "Not this one.")
        #expect(bench.journal.version == 1)
        guard case .applied(_, 2, _, let state) = try bench.offer([step]) else {
            Issue.record("The next action did not make version 2.")
            return
        }
        #expect((state?.value as? List)?.count == 2)
    }

    @Test func `a dry run shows its change and leaves no trace`() throws {
        let bench = Bench()
        guard
            case .dryRun(let run) = try bench.offer([step, step], mode: .dryRun)
        else {
            Issue.record("There was no dry run.")
            return
        }
        #expect(
            run.changed && run.stateBefore as? List == [] && (run.stateAfter as? List)?.count == 2
        )
        #expect(bench.journal.version == 0)
        #expect(bench.sink.events.values == [.completed])
    }

    @Test func `an expected version is compared at the action's own turn`() throws {
        let bench = Bench()
        guard case .applied = try bench.offer([step], expecting: 0) else {
            Issue.record("Version 0 was expected and there.")
            return
        }
        guard case .versionMismatch(current: 1) = try bench.offer([step], expecting: 0) else {
            Issue.record("Version 0 is over.")
            return
        }
    }

    @Test func `a full disk takes the state back to the last durable version`() throws {
        let bench = Bench()
        let seen = Journaled<Int>()
        let released = Journaled<UInt64>()
        bench.core.observe { seen.add($0.count) }
        bench.core.add(middleware: { _, _, envelope in { released.add(envelope.version) } })
        _ = try bench.offer([step])
        bench.journal.setFailure(.storageFull)
        guard case .failed(.storageFull) = try bench.offer([step]) else {
            Issue.record("A full disk was not reported.")
            return
        }
        bench.journal.setFailure(nil)
        guard case .applied(2, 2, _, let state) = try bench.offer([step]) else {
            Issue.record("The Core did not go on when there was room.")
            return
        }
        #expect((state?.value as? List)?.count == 2)
        #expect(seen.values == [0, 1, 2])
        #expect(released.values == [1, 2])
        #expect(bench.sink.events.values.contains(.rolledBack))
    }

    @Test func `an unknown failure ends the Core: nothing is applied after it`() throws {
        let bench = Bench()
        bench.journal.setFailure(.unknown("EIO"))
        guard case .failed(.outcomeUnknown) = try bench.offer([step]) else {
            Issue.record("An unknown outcome was not reported.")
            return
        }
        bench.journal.setFailure(nil)
        guard case .failed(.journalFailed) = try bench.offer([step]) else {
            Issue.record("The Core went on after an unknown failure.")
            return
        }
        #expect(bench.journal.version == 0)
    }

    @Test(arguments: threads)
    func `the mailbox refuses at its bound and keeps its envelopes`(
        _ driver: CoreConfiguration<List>.Driver
    ) throws {
        let bench = Bench(mailboxMax: 3, driver: driver)
        var taken: [Outcomes] = []
        for _ in 0..<3 {
            let outcomes = Outcomes()
            try bench.core.engine.offer(
                Envelope(
                    members: [.init(action: step, type: "s")],
                    completion: outcomes
                )
            )
            taken.append(outcomes)
        }
        #expect(throws: MailboxError.full) { _ = try bench.offer([step]) }
        #expect(bench.core.mailboxRefusedTotal == 1)
        bench.core.start()
        bench.core.stop()
        #expect(taken.allSatisfy { $0.all.values.count == 1 })
        #expect(bench.journal.version == 3)
        #expect(throws: MailboxError.closed) { _ = try bench.offer([step]) }
    }

    @Test(arguments: threads)
    func `envelopes offered without a wake-up are one batch after the wake-up`(
        _ driver: CoreConfiguration<List>.Driver
    ) async throws {
        let bench = Bench(driver: driver)
        let outcomes = (0..<10).map { _ in Outcomes() }
        bench.core.start()
        _ = try await bench.core.apply(step)
        for outcome in outcomes {
            try bench.core.engine.offer(
                Envelope(members: [.init(action: step, type: "s")], completion: outcome),
                wakes: false
            )
        }
        bench.core.engine.wakeIfNeeded()
        bench.core.stop()
        #expect(outcomes.allSatisfy { $0.all.values.count == 1 })
        #expect(bench.journal.version == 11)
    }

    @Test func `the journal in memory drops the oldest records and reports them as gone`() throws {
        let journal = MemoryJournal(retention: Retention(recordsMax: 2))
        for version in 1...5 as ClosedRange<UInt64> {
            let record = Record(version: version, time: 0, type: "t", payload: [], changed: true)
            try journal.append(JournalBatch(records: [record]), at: version - 1)
        }
        #expect(journal.oldestVersion == 4)
        #expect(
            try journal.read(JournalPageRequest(after: 3, limit: 10)).records.map(\.version) == [
                4, 5,
            ]
        )
        #expect(throws: JournalError.gone(oldest: 4)) {
            try journal.read(JournalPageRequest(after: 1, limit: 1))
        }
        #expect(throws: JournalError.conflict(version: 5)) {
            try journal.append(JournalBatch(), at: 4)
        }
    }
}
