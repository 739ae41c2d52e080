import Domain
import StoreCore
import Testing

@Suite struct DomainTests {
    private func reduced(_ state: AppState = .initial, _ actions: any Action...) throws -> AppState
    {
        var state = state
        for action in actions { try appReducer(&state, action) }
        return state
    }

    @Test func `the counter moves by its step`() throws {
        let state = try reduced(
            .initial,
            StepChangeRequested(step: 7),
            CounterIncreaseRequested(),
            CounterIncreaseRequested(),
            CounterDecreaseRequested()
        )
        #expect(state.counter == CounterState(counter: 7, step: 7))
    }

    @Test(arguments: [
        (CounterState(counter: .max, step: 1), CounterIncreaseRequested() as any Action),
        (CounterState(counter: .min, step: 1), CounterDecreaseRequested()),
        (CounterState(counter: 1, step: .min), CounterDecreaseRequested()),
    ])
    func `the counter refuses to leave its range`(state: CounterState, action: any Action) {
        #expect(throws: Refusal.self) { try reduced(AppState(counter: state), action) }
    }

    @Test func `the list begins with four items and takes more`() throws {
        let state = try reduced(.initial, AddItem(text: "Sleep"), CompleteItem(index: 4))
        #expect(state.todos.items.count == 5)
        #expect(state.todos.items[4] == TodosState.Item(text: "Sleep", completed: true))
    }

    @Test(arguments: [-1, 4, .min, .max])
    func `a bad index is refused and names its member`(index: Int) {
        for action in [CompleteItem(index: index), DeleteItem(index: index)] as [any Action] {
            #expect {
                try reduced(.initial, action)
            } throws: {
                ($0 as? Refusal)?.pointer == "/index"
            }
        }
    }

    @Test func `archiving moves what is completed, and nothing else`() throws {
        let state = try reduced(
            .initial,
            CompleteItem(index: 1),
            CompleteItem(index: 3),
            ArchiveCompleted()
        )
        #expect(state.todos.items.map(\.text.first) == ["P", "H"])
        #expect(state.todos.archived?.map(\.text.first) == ["B", "V"])
        #expect(try reduced(state, ArchiveCompleted()) == state)
    }

    @Test func `a full list refuses one more`() {
        let full = TodosState(
            items: Array(repeating: .init(text: "x"), count: TodosState.itemsMax)
        )
        #expect(throws: Refusal.self) { try reduced(AppState(todos: full), AddItem(text: "y")) }
    }

    @Test func `a shown screen changes nothing and reports where the counter stood`() throws {
        let state = try reduced(.initial, CounterIncreaseRequested())
        #expect(try reduced(state, ScreenShown(name: "Main")) == state)
        let record = ScreenShown(name: "Main").record(before: state)
        #expect(record.screen == "Main" && record.counter == 1)
    }
}
