import DefaultStore
import StoreCore
import Testing

@Suite struct DomainTests {
    private func reduced(_ state: AppState = AppState(), _ actions: any Action...) throws
        -> AppState
    {
        var state = state
        let machine = try ModuleMachine<AppState>()
        for action in actions {
            _ = try machine.reduce(&state, action, ReducerContextSource(version: 1))
        }
        return state
    }

    private func listing(_ todos: Todos.State) -> AppState {
        var state = AppState()
        state.todos = todos
        return state
    }

    private func counting(_ counter: Counter.State) -> AppState {
        var state = AppState()
        state.counter = counter
        return state
    }

    @Test func `the counter moves by its step`() throws {
        let state = try reduced(
            AppState(),
            Counter.Action.stepChangeRequested(step: 7),
            Counter.Action.increaseRequested,
            Counter.Action.increaseRequested,
            Counter.Action.decreaseRequested
        )
        #expect(state.counter == Counter.State(counter: 7, step: 7))
    }

    @Test(arguments: [
        (Counter.State(counter: .max, step: 1), Counter.Action.increaseRequested),
        (Counter.State(counter: .min, step: 1), .decreaseRequested),
        (Counter.State(counter: 1, step: .min), .decreaseRequested),
    ])
    func `the counter refuses to leave its range`(state: Counter.State, action: Counter.Action) {
        #expect(throws: Refusal.self) { try reduced(counting(state), action) }
    }

    @Test func `the list begins with four items and takes more`() throws {
        let state = try reduced(
            AppState(),
            Todos.Action.addItem(text: "Sleep"),
            Todos.Action.completeItem(index: 4)
        )
        #expect(state.todos.items.count == 5)
        #expect(state.todos.items[4] == Todos.Item(text: "Sleep", completed: true))
    }

    @Test(arguments: [-1, 4, .min, .max])
    func `a bad index is refused and names its member`(index: Int) {
        for action in [Todos.Action.completeItem(index: index), .deleteItem(index: index)] {
            #expect {
                try reduced(AppState(), action)
            } throws: {
                ($0 as? Refusal)?.pointer == "/index"
            }
        }
    }

    @Test func `archiving moves the completed items alone`() throws {
        let state = try reduced(
            AppState(),
            Todos.Action.completeItem(index: 1),
            Todos.Action.completeItem(index: 3),
            Todos.Action.archiveCompleted
        )
        #expect(state.todos.items.map(\.text.first) == ["P", "H"])
        #expect(state.todos.archived?.map(\.text.first) == ["B", "V"])
        #expect(try reduced(state, Todos.Action.archiveCompleted) == state)
    }

    @Test func `a full list refuses a further item`() {
        let full = Todos.State(
            items: Array(repeating: .init(text: "x"), count: Todos.State.itemsMax)
        )
        #expect(throws: Refusal.self) {
            try reduced(listing(full), Todos.Action.addItem(text: "y"))
        }
    }

    @Test func `a shown screen changes nothing and reports the counter's value`() throws {
        let state = try reduced(AppState(), Counter.Action.increaseRequested)
        #expect(try reduced(state, ScreenShown(name: "Main")) == state)
        let record = ScreenShown(name: "Main").record(before: state)
        #expect(record.screen == "Main" && record.counter == 1)
    }
}
