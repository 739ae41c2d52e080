import StoreCore
import StoreTesting
import Testing

/// Effects that turn their errors into actions.
@Suite struct RecoveryTests {
    private struct Fetcher: EffectfulModule {
        struct State: ModuleState {
            var failures: [String] = []
        }

        enum Action: ModuleAction {
            case asked, askedForLong
        }

        enum Internal: ModuleAction {
            case failed(reason: String)
        }

        func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
            switch action {
            case .failed(let reason): state.failures.append(reason)
            }
            return .none
        }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            .run(
                id: "fetch",
                retry: .times(1, pause: .seconds(1)),
                catch: { Internal.failed(reason: ($0 as? Refusal)?.reason ?? "\($0)") }
            ) { context in
                if action == .askedForLong { try await context.sleep(for: .seconds(60)) }
                throw Refusal(reason: "Nobody is there.")
            }
        }
    }

    private struct AppState: RootState {
        var fetcher = Fetcher.State()
        static let modules: Modules = [Fetcher().at(\.fetcher)]
    }

    @Test func `the error of the last try becomes an action`() async {
        let clock = ManualClock()
        let store = TestStore(AppState(), dependencies: .controlled(by: clock))
        await store.send(Fetcher.Action.asked)
        await clock.advance(by: .seconds(1))
        await store.receive(Fetcher.Internal.failed(reason: "Nobody is there.")) {
            $0.fetcher.failures = ["Nobody is there."]
        }
        await store.finish()
    }

    @Test func `a client that waits for a recovered effect gets no failure`() async throws {
        let clock = ManualClock()
        let core = try Core(AppState(), dependencies: .controlled(by: clock))
        let watch = EffectWatch()
        _ = try await core.apply(Fetcher.Action.asked, watch: watch)
        await clock.untilSleeping()
        await clock.advance(by: .seconds(1))
        let hasFailed = await withCheckedContinuation { continuation in
            watch.whenDone { result in
                if case .failure = result { return continuation.resume(returning: true) }
                continuation.resume(returning: false)
            }
        }
        #expect(!hasFailed)
        #expect(try await core.apply(Fetcher.Action.asked).state.fetcher.failures.count == 1)
    }

    @Test func `a cancelled effect makes no action`() async throws {
        let clock = ManualClock()
        let core = try Core(AppState(), dependencies: .controlled(by: clock))
        try await core.apply(Fetcher.Action.askedForLong)
        await clock.untilSleeping()
        let runner = try #require(core.effectRunner)
        #expect(runner.cancel(id: "fetcher/fetch"))
        await runner.waitUntilIdle()
        runner.stop()
        #expect(try await core.apply(Fetcher.Action.asked).state.fetcher.failures.isEmpty)
    }
}
