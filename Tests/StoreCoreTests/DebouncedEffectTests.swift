import StoreCore
import StoreTesting
import Testing

/// Effects that wait for a quiet time.
@Suite struct DebouncedEffectTests {
    private struct Search: StartableModule, EffectfulModule {
        struct State: ModuleState {
            var text = ""
            var found: [String] = []
        }

        enum Action: ModuleAction {
            case typed(String)
            case closed
        }

        enum Internal: ModuleAction {
            case found(String)
            case failed
        }

        func begin(_ start: NoFields) -> State { State() }

        func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
            switch action {
            case .typed(let text):
                state.text = text
                return .debounced(
                    id: "search",
                    for: .milliseconds(300),
                    retry: .times(1, pause: .seconds(1)),
                    catch: { _ in Internal.failed }
                ) { context in
                    guard !text.isEmpty else { throw Refusal(reason: "There is nothing to find.") }
                    try await context.dispatch(Internal.found(text))
                }
            case .closed: return .cancel(id: "search")
            }
        }

        func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
            switch action {
            case .found(let text): state.found.append(text)
            case .failed: state.found.append("failed")
            }
            return .none
        }
    }

    private struct AppState: RootState {
        var own = PerSession(Search.State())
        static let modules: Modules = [Search().at(\.own)]
    }

    private struct Windows: RootState {
        var windows = Instances<Search.State>()
        static let modules: Modules = [Search().at(\.windows)]
    }

    private let clock = ManualClock()

    private func store() -> TestStore<AppState, AppState> {
        TestStore(AppState(), dependencies: .controlled(by: clock))
    }

    @Test func `twenty searches in a row make a single request, for the last text`() async {
        let store = store()
        for count in 1...20 {
            let text = String(repeating: "a", count: count)
            await store.send(Search.Action.typed(text)) { $0.own["shared"].text = text }
            await clock.advance(by: .milliseconds(5))
        }
        await clock.advance(by: .milliseconds(294))
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: .milliseconds(1))
        let last = String(repeating: "a", count: 20)
        await store.receive(Search.Internal.found(last)) { $0.own["shared"].found = [last] }
        await store.finish()
    }

    @Test func `the waiting for a quiet time can be cancelled`() async {
        let store = store()
        await store.send(Search.Action.typed("a")) { $0.own["shared"].text = "a" }
        await store.send(Search.Action.closed)
        await clock.advance(by: .seconds(1))
        await store.finish()
    }

    @Test func `a further try needs no quiet time, and the last error becomes an action`() async {
        let store = store()
        await store.send(Search.Action.typed(""))
        await clock.advance(by: .milliseconds(1_299))
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: .milliseconds(1))
        await store.receive(Search.Internal.failed) { $0.own["shared"].found = ["failed"] }
        await store.finish()
    }

    @Test func `each session has a quiet time of its own`() async {
        let store = store()
        await store.send(Search.Action.typed("a"), session: "a") { $0.own["a"].text = "a" }
        await store.send(Search.Action.typed("b"), session: "b") { $0.own["b"].text = "b" }
        await clock.advance(by: .milliseconds(300))
        await store.receive(Search.Internal.found("a")) { $0.own["a"].found = ["a"] }
        await store.receive(Search.Internal.found("b")) { $0.own["b"].found = ["b"] }
        await store.finish()
    }

    @Test func `each instance has a quiet time of its own`() async {
        let store = TestStore(Windows(), dependencies: .controlled(by: clock))
        for id in ["a", "b"] {
            await store.send(Search.start.to(id)) { $0.windows[id] = Search.State() }
            await store.send(Search.Action.typed(id).to(id)) { $0.windows[id]?.text = id }
        }
        await clock.advance(by: .milliseconds(300))
        for id in ["a", "b"] {
            await store.receive(Search.Internal.found(id).to(id)) { $0.windows[id]?.found = [id] }
        }
        await store.finish()
    }
}
