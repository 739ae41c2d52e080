// swift-format-ignore-file

// The unchanged lines of Tempura's README, within the code that they need. The lines that can't be
// kept word for word are in a table of docs/SEEDS.md.

import StoreCore
import StorePatterns

struct Todo: ModuleState {
    var text: String
    var completed = false
}

struct AppState: RootState {

    var items: [Todo] = [
        Todo(text: "Pet my unicorn"),
        Todo(text: "Become a doctor.\nChange last name to Acula"),
        Todo(text: "Hire two private investigators.\nGet them to follow each other"),
        Todo(text: "Visit mars"),
    ]

    static let modules: Modules = [.field("items", \.items)]
    static let dispatchables: Dispatchables = [CompleteItem.self]
    static let views: Views = [ListViewModel.self]
}

struct CompleteItem: StateUpdater {
    var index: Int

    func updateState(_ state: inout AppState) {
        state.items[index].completed = true
    }
}

struct ListViewModel: ViewModelWithState {
    var todos: [Todo]

    init(state: AppState) {
        self.todos = state.items
    }
}

func complete(_ store: Core<AppState>) {
    store.dispatch(CompleteItem(index: 0))
}
