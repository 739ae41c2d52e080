import StoreCore
import StoreTesting
import Testing

/// Shared values. The store fills the copies, so a test does not state them.
struct SharedValuesTests {
    private struct Price: SharingModule {
        struct State: ModuleState { var cents = 5 }
        enum Action: ModuleAction { case changed(to: Int) }

        func reduce(_ state: inout State, _ action: Action) {
            switch action {
            case .changed(let cents): state.cents = cents
            }
        }

        func share(_ state: State) -> Int { state.cents }
    }

    private struct Basket: Module {
        struct State: ModuleState {
            var pieces = 0
            var price = Shared<Int>()
        }
        enum Action: ModuleAction { case added }

        func reduce(_ state: inout State, _ action: Action) throws {
            guard state.price.value != nil else { throw Refusal(reason: "It has no price.") }
            state.pieces += 1
        }
    }

    private struct SessionRoot: RootState {
        var price = Price.State()
        var basket = PerSession(Basket.State())

        static let modules: Modules = [
            Price().at(\.price),
            Basket().at(\.basket).reading(\Basket.State.price, of: Price.self),
        ]
    }

    @Test func `a store fills a reader's copy of a shared value`() async {
        let store = TestStore(SessionRoot())
        await store.send(Basket.Action.added) { $0.basket["shared"].pieces = 1 }
        #expect(store.state.basket["shared"].price.value == 5)
        await store.send(Price.Action.changed(to: 7)) { $0.price.cents = 7 }
        #expect(store.state.basket["shared"].price.value == 7)
        await store.finish()
    }

    @Test func `a given state has the shared value, too`() {
        Given(SessionRoot()).when(Basket.Action.added) { $0.basket["shared"].pieces = 1 }
        Given(SessionRoot()).when(Price.Action.changed(to: 7)) { $0.price.cents = 7 }
    }

    @Test func `a test states an owner's shared value in the owner's slice`() async {
        let messages = Recorder<String>()
        let reporter = TestReporter { text, _ in messages.record(text) }
        Given(SessionRoot(), reporter: reporter).when(Price.Action.changed(to: 7))
        #expect(messages.values.count == 1 && messages.values[0].contains("/price"))
    }

    @Test func `a reader alone is given the shared value`() {
        Given(Basket(), Basket.State(price: Shared(5))).when(.added) { $0.pieces = 1 }
        Given(Basket(), Basket.State()).when(.added, refused: "It has no price.")
    }
}
