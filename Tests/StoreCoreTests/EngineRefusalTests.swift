import StoreCore
import StorePlatform
import StoreTesting
import Synchronization
import Testing

/// Refusals of the engine itself: requests that come twice, and states that can't be shown.
@Suite struct EngineRefusalTests {
    typealias Bench = EngineTests.Bench

    let step = StepChangeRequested(step: 1)

    @Test func `a request with the same key is applied once, with any expected version`() throws {
        let bench = Bench()
        _ = try bench.offer([step, step], key: ("k", 1))
        guard case .replayed(let kept) = try bench.offer([step, step], expecting: 0, key: ("k", 1))
        else {
            Issue.record("the second request was not recognised")
            return
        }
        #expect(kept.firstVersion == 1 && kept.lastVersion == 2 && kept.changed)
        #expect(bench.journal.version == 2)
    }

    @Test func `another body under the same key is refused`() throws {
        let bench = Bench()
        _ = try bench.offer([step], key: ("k", 1))
        guard case .keyTaken = try bench.offer([step], key: ("k", 2)) else {
            Issue.record("another body passed for the first")
            return
        }
        #expect(bench.journal.version == 1)
    }

    @Test func `two requests with the same key in a batch are applied once`() throws {
        let bench = Bench(driver: .thread)
        let outcomes = [Outcomes(), Outcomes()]
        for completion in outcomes {
            try bench.core.engine.offer(
                Envelope(
                    members: [.init(action: step, type: "s")],
                    idempotency: Idempotency(key: IdempotencyKey(key: "k"), fingerprint: [1]),
                    completion: completion
                )
            )
        }
        bench.core.start()
        bench.core.stop()
        guard case .applied? = outcomes[0].all.values.first,
            case .replayed? = outcomes[1].all.values.first
        else {
            Issue.record("\(outcomes.map(\.all.values))")
            return
        }
        #expect(bench.journal.version == 1)
    }

    @Test func `a request whose append failed keeps nothing, and its key can be used again`() throws
    {
        let bench = Bench()
        bench.journal.setFailure(.storageFull)
        guard case .failed(.storageFull) = try bench.offer([step], key: ("k", 1)) else {
            Issue.record("the append did not fail")
            return
        }
        bench.journal.setFailure(nil)
        guard case .applied = try bench.offer([step], key: ("k", 1)) else {
            Issue.record("the key was taken by an action that was not applied")
            return
        }
    }

    @Test
    func `a state that can't be shown is refused before the append, and its neighbours are not`()
        throws
    {
        let bench = Bench(driver: .thread)
        bench.sink.unshowable.withLock {
            $0 = { $0.contains("\(StepChangeRequested(step: 13))") ? Self.unshowable : nil }
        }
        let outcomes = [Outcomes(), Outcomes(), Outcomes()]
        for (step, completion) in zip(12..., outcomes) {
            try bench.core.engine.offer(
                Envelope(
                    members: [.init(action: StepChangeRequested(step: step), type: "s")],
                    completion: completion
                )
            )
        }
        bench.core.start()
        bench.core.stop()
        guard case .applied(1, 1, true, nil)? = outcomes[0].all.values.first,
            case .refused(Self.unshowable, member: 0)? = outcomes[1].all.values.first,
            case .applied(2, 2, true, nil)? = outcomes[2].all.values.first
        else {
            Issue.record("\(outcomes.map(\.all.values))")
            return
        }
        #expect(bench.journal.version == 2)
    }

    static let unshowable = Refusal(reason: "thirteen can't be shown")
}
