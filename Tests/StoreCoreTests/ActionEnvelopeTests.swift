import StoreCore
import StorePlatform
import StoreTesting
import Synchronization
import Testing

@Suite struct ActionEnvelopeTests {
    private struct Sum: Equatable { var value = 0 }
    private struct Added: Action { let amount: Int }

    /// Returns a Core that refuses negative amounts.
    private func makeCore() -> Core<Sum> {
        Core(state: Sum()) { (state: inout Sum, action: any Action) throws in
            guard let added = action as? Added else { return }
            guard added.amount >= 0 else { throw Refusal(reason: "Too little.") }
            state.value += added.amount
        }
    }

    @Test func `work after the commit runs once, in order, and not for a refused action`()
        async throws
    {
        let core = makeCore()
        let lines = Locked<[String]>([])
        for name in ["a", "b"] {
            core.add(middleware: { state, action, envelope in
                lines.withLock { $0.append("\(name) before \(state.value)") }
                for part in 1...2 {
                    envelope.afterCommit {
                        lines.withLock { $0.append("\(name)\(part) \(envelope.version)") }
                    }
                }
            })
        }
        try await core.dispatch(Added(amount: 3))
        await #expect(throws: Refusal.self) { try await core.dispatch(Added(amount: -1)) }
        try await core.dispatch(Added(amount: 4))
        #expect(
            lines.withLock { $0 } == [
                "a before 0", "b before 0", "a1 1", "a2 1", "b1 1", "b2 1",
                "a before 3", "b before 3",
                "a before 3", "b before 3", "a1 2", "a2 2", "b1 2", "b2 2",
            ]
        )
    }

    @Test func `an envelope takes nothing once its middleware has returned`() async throws {
        let core = makeCore()
        let kept = Locked<[ActionEnvelope]>([])
        let count = Locked(0)
        core.add(middleware: { _, _, envelope in
            // An envelope takes no work after its own middleware, nor in the call for another
            // action.
            for old in kept.withLock({ $0 }) {
                #expect(!old.afterCommit { count.withLock { $0 += 100 } })
            }
            kept.withLock { $0.append(envelope) }
            #expect(envelope.afterCommit { count.withLock { $0 += 1 } })
        })
        for _ in 0..<3 { try await core.dispatch(Added(amount: 1)) }
        #expect(kept.withLock { $0 }.allSatisfy { !$0.afterCommit {} })
        #expect(count.withLock { $0 } == 3)
    }

    @Test func `an envelope has the place and the origin of its action`() async throws {
        let core = makeCore()
        let seen = Recorder<ActionEnvelope>()
        core.add(middleware: { _, _, envelope in seen.record(envelope) })
        try await core.dispatch(Added(amount: 1))
        let envelope = try #require(seen.values.first)
        #expect(envelope.version == 1)
        #expect(envelope.type == "Added")
        #expect(envelope.session == "shared")
        #expect(envelope.cause == nil && envelope.request == nil && envelope.meta == nil)
        #expect(envelope.time > 0)
    }
}
