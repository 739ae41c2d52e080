import StoreCore
import StoreTesting
import Testing

@testable import Todo

@Test func `an item is added and completed`() async {
    let store = TestStore(Todos(), Todos.State(items: []))
    await store.send(.added(text: ""), refused: "An item has text.")
    await store.send(.added(text: "Rest")) { $0.items = [.init(text: "Rest")] }
    await store.send(.completed(index: 1), refused: "There is no item 1.")
    await store.send(.completed(index: 0)) { $0.items[0].isCompleted = true }
    await store.finish()
}

@Test func `a screen shows the items of its filter`() async {
    let store = TestStore(AppState())
    await store.send(Todos.Action.completed(index: 3)) { $0.todos.items[3].isCompleted = true }
    let cells = VisibleItemsViewModel(state: store.state)?.cells
    #expect(cells?.count == 4)
    #expect(cells?[1].complete == ActionLink(Todos.Action.completed(index: 1)))
    #expect(cells?[3].complete == nil)
    await store.send(Filter.Action.chosen(.completed)) { $0.filter["shared"].choice = .completed }
    #expect(VisibleItemsViewModel(state: store.state)?.cells.map(\.text) == ["Visit mars"])
    await store.send(Filter.Action.chosen(.pending)) { $0.filter["shared"].choice = .pending }
    #expect(VisibleItemsViewModel(state: store.state)?.cells.count == 3)
    await store.finish()
}
