import StoreCore
import StorePatterns
import StorePlatform
import StoreTesting
import Testing

/// Tests that state the work of effects.
@Suite struct EffectStatingTests {
    private struct Broken: Error, Equatable {}

    private struct Worker: EffectfulModule {
        struct State: ModuleState {
            var done = 0
        }

        enum Action: ModuleAction {
            case retried, elsewhere, merged, concatenated
        }

        enum Internal: ModuleAction {
            case did(Int)
        }

        static let dispatchables: [any Dispatchable.Type] = [Fetch.self]

        /// Throws as often as the test needs.
        let attempt: @Sendable () throws -> Void

        func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
            switch action {
            case .did(let number): state.done = number
            }
            return .none
        }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            switch action {
            case .retried:
                .run(retry: .times(2, pause: .seconds(1))) { [attempt] context in
                    try attempt()
                    try await context.dispatch(Internal.did(1))
                }
            case .elsewhere:
                .run { context in
                    // The work is on no thread of the pool, which other tests may keep busy for
                    // long.
                    let number = await withCheckedContinuation { continuation in
                        SystemThread.start(name: "elsewhere") { continuation.resume(returning: 7) }
                    }
                    try await context.dispatch(Internal.did(number))
                }
            case .merged: .merge(did(2, after: 20), did(1, after: 10))
            case .concatenated: .concatenate(did(2, after: 20), did(1, after: 10))
            }
        }

        private func did(_ number: Int, after milliseconds: Int) -> Effect<State> {
            .run { context in
                try await context.sleep(for: .milliseconds(milliseconds))
                try await context.dispatch(Internal.did(number))
            }
        }
    }

    private struct Fetch: SideEffect {
        let fails: Bool

        func sideEffect(_ context: EffectContext<Worker.State>) async throws -> String {
            if fails { throw Broken() }
            try await context.dispatch(Worker.Internal.did(5))
            return "fetched"
        }
    }

    private let clock = ManualClock()
    private let failures = Failures()

    private func store(
        attempt: @escaping @Sendable () throws -> Void = {}
    ) -> TestStore<Worker.State, Worker> {
        TestStore(
            Worker(attempt: attempt),
            Worker.State(),
            dependencies: .controlled(by: clock),
            timeout: .seconds(120)
        )
    }

    @Test func `an effect is tried again after its pauses`() async {
        let attempts = Recorder<Int>()
        let store = store {
            attempts.record(attempts.values.count)
            if attempts.values.count < 3 { throw Broken() }
        }
        await store.send(.retried)
        await clock.advance(by: .seconds(1))
        #expect(attempts.values.count == 2)
        await clock.advance(by: .seconds(2))
        await store.receive(.did(1)) { $0.done = 1 }
        await store.finish()
    }

    @Test func `an effect that is not tried again has failed, once`() async {
        let store = store { throw Broken() }
        await store.send(.retried)
        await clock.run()
        await store.receive(failure: Broken())
        await store.finish()
    }

    @Test func `a store waits for the result of another thread`() async {
        let store = store()
        await store.send(.elsewhere)
        await store.receive(.did(7)) { $0.done = 7 }
        await store.finish()
    }

    @Test func `merged effects dispatch by their deadlines, concatenated ones in their order`()
        async
    {
        let store = store()
        await store.send(.merged)
        await clock.run()
        await store.receive(.did(1)) { $0.done = 1 }
        await store.receive(.did(2)) { $0.done = 2 }
        await store.send(.concatenated)
        await clock.run()
        await store.receive(.did(2))
        await store.receive(.did(1)) { $0.done = 1 }
        await store.finish()
    }

    @Test func `a side effect's value is returned, and its actions are received`() async throws {
        let store = store()
        #expect(try await store.value(of: Fetch(fails: false)) == "fetched")
        await store.receive(.did(5)) { $0.done = 5 }
        await #expect(throws: Broken()) { try await store.value(of: Fetch(fails: true)) }
        await store.finish()
    }

    @Test func `an action of a presenter at the store's start is received`() async {
        struct Greeter: Presenter {
            func stateDidUpdate(
                from old: Tally.State?,
                to new: Tally.State?,
                _ context: PresenterContext
            ) {
                if old == nil { context.dispatch(Tally.Action.increased) }
            }
        }
        struct Greeted: RootState {
            var tally = Tally.State()
            static let modules: Modules = [Tally().at(\.tally).presented(by: Greeter())]
        }
        let store = TestStore(Greeted())
        await store.receive(Tally.Action.increased) { $0.tally.count = 1 }
        await store.finish()
    }

    @Test func `effects that are cancelled are neither received nor failures`() async {
        let store = store()
        await store.send(.merged)
        await clock.advance(by: .milliseconds(10))
        await store.receive(.did(1)) { $0.done = 1 }
        await store.cancelEffects()
        await store.finish()
        #expect(clock.sleeperCount == 0)
    }
}
