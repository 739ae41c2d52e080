import StoreCore
import StorePatterns
import StorePlatform
import StoreTesting
import Synchronization
import Testing

@Suite struct InterceptorTests {
    private struct Noise: Action {}

    @Test func `interceptors are called in order, and with the end in reverse`() async throws {
        let core = try Core(SampleState())
        let order = Locked<[String]>([])
        for number in 1...3 {
            core.add(interceptor: { state, _, _ in
                order.withLock { $0.append("in \(number) \(state.tally.count)") }
                return .proceed { state in
                    order.withLock { $0.append("out \(number) \(state.tally.count)") }
                }
            })
        }
        try await core.apply(Tally.Action.increased)
        #expect(
            order.withLock { $0 } == [
                "in 1 0", "in 2 0", "in 3 0", "out 3 1", "out 2 1", "out 1 1",
            ]
        )
    }

    @Test func `an interceptor that throws blocks the action and later interceptors`() async throws
    {
        let core = try Core(SampleState())
        let asked = Locked(0)
        core.add(interceptor: { _, _, _ in throw Refusal.forbidden("Closed.") })
        core.add(interceptor: { _, _, _ in
            asked.withLock { $0 += 1 }
            return .proceed
        })
        #expect(
            await refusal { try await core.apply(Tally.Action.increased) }
                == Refusal.forbidden("Closed.")
        )
        #expect(asked.withLock { $0 } == 0)
    }

    @Test func `an interceptor may replace the action`() async throws {
        let core = try Core(SampleState())
        core.add(interceptor: { _, action, _ in
            action is Noise ? .replace(with: Tally.Action.stepChanged(to: 9)) : .proceed
        })
        #expect(try await core.apply(Noise()).state.tally.step == 9)
    }

    @Test func `actions behind the action are applied with it or not at all`() async throws {
        let core = try Core(SampleState())
        core.add(interceptor: { _, action, _ in
            switch action as? Tally.Action {
            case .increased?: .follow(with: Tally.Action.increased, Tally.Action.increased)
            case .decreased?: .follow(with: Tally.Action.stepChanged(to: 0))
            default: .proceed
            }
        })
        let three = try await core.apply(Tally.Action.increased)
        #expect(three.state.tally.count == 3)
        #expect(three.version == 3)
        #expect(await refusal { try await core.apply(Tally.Action.decreased) } != nil)
        #expect(try await core.apply(Noise()).state.tally == Tally.State(count: 3, step: 1))
    }

    @Test func `each reaction dispatches once`() async throws {
        let core = try Core(SampleState())
        let seen = Locked<[String]>([])
        let calls = Locked(0)
        core.add(middleware: { (_: SampleState, action: any Action) in
            seen.withLock { $0.append("\(action)") }
        })
        core.add(reaction: .onStart { Tally.Action.stepChanged(to: 2) })
        core.add(
            reaction: .onStateChange { old, new in
                calls.withLock { $0 += 1 }
                return old.tally.count != new.tally.count ? Reset() : nil
            }
        )
        core.add(reaction: .onDispatch(of: Noise.self) { _, _, _ in Home.start })
        try await core.apply(Tally.Action.increased)
        try await core.apply(Noise())
        let last = try await core.apply(Tally.Action.stepChanged(to: 3))
        #expect(
            seen.withLock { $0 } == [
                "stepChanged(to: 2)", "increased", "Reset()", "Noise()",
                "\(Home.start)", "stepChanged(to: 3)",
            ]
        )
        #expect(last.version == 6)
        // The four actions that changed the state. `Noise` did not, nor does the same step again.
        try await core.apply(Tally.Action.stepChanged(to: 3))
        #expect(calls.withLock { $0 } == 4)
    }

    @Test func `a refusal that no client waits for is reported`() async throws {
        let follower = RecordingFollower()
        var configuration = CoreConfiguration<SampleState>()
        configuration.follower = follower
        let core = try Core(
            SampleState(),
            runner: EffectRunner(dependencies: .unprepared),
            configuration: configuration
        )
        core.add(
            reaction: .onDispatch(of: Noise.self, file: "Sample.swift", line: 7) { _, _, _ in
                Tally.Action.stepChanged(to: 0)
            }
        )
        let cause = try await core.apply(Noise()).version
        let dropped = try await follower.droppedActions.next()
        #expect(dropped.type == "Action")
        #expect(dropped.source.cause == cause && dropped.source.sourceLocation == "Sample.swift:7")
        #expect(dropped.reason as? Refusal == Refusal(reason: "A step of 0 leads nowhere."))
        #expect(core.droppedTotal == 1)
    }
}
