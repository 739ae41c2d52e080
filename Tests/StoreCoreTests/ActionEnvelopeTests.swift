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
                return { lines.withLock { $0.append("\(name) after \(envelope.version)") } }
            })
        }
        try await core.apply(Added(amount: 3))
        #expect(await refusal { try await core.apply(Added(amount: -1)) } != nil)
        try await core.apply(Added(amount: 4))
        #expect(
            lines.withLock { $0 } == [
                "a before 0", "b before 0", "a after 1", "b after 1",
                "a before 3", "b before 3",
                "a before 3", "b before 3", "a after 2", "b after 2",
            ]
        )
    }

    @Test func `an envelope has the place and the origin of its action`() async throws {
        let core = makeCore()
        let seen = Recorder<ActionEnvelope>()
        core.add(interceptor: { _, _, envelope in
            seen.record(envelope)
            return .proceed
        })
        core.add(middleware: { _, _, envelope in
            seen.record(envelope)
            return nil
        })
        try await core.apply(Added(amount: 1))
        #expect(seen.values.count == 2)
        for envelope in seen.values {
            #expect(envelope.version == 1)
            #expect(envelope.type == "Added")
            #expect(envelope.session == "shared")
            #expect(envelope.cause == nil && envelope.requestID == nil && envelope.meta == nil)
            #expect(envelope.time > 0)
        }
    }
}
