// swift-format-ignore-file

// The lines of Tempura's README, as they stand there, within what they need around them.
// docs/SEEDS.md has a table of those that can't be had word for word.

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
