import StoreCore
import StorePatterns
import StoreServer

/// The list of items to do, which all clients share.
struct Todos: Module {
    struct State: ModuleState {
        var items = [
            Item(text: "Pet my unicorn"),
            Item(text: "Become a doctor.\nChange last name to Acula"),
            Item(text: "Hire two private investigators.\nGet them to follow each other"),
            Item(text: "Visit mars"),
        ]
    }

    struct Item: ModuleState {
        var text: String
        var isCompleted = false
    }

    enum Action: ModuleAction {
        case added(text: String)
        case completed(index: Int)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .added(let text):
            guard !text.isEmpty else {
                throw Refusal(reason: "An item has text.", pointer: "/text")
            }
            state.items.append(Item(text: text))
        case .completed(let index):
            guard state.items.indices.contains(index) else {
                throw Refusal(reason: "There is no item \(index).", pointer: "/index")
            }
            state.items[index].isCompleted = true
        }
    }
}

/// The choice of the items that a screen shows: a slice for each session.
struct Filter: Module {
    struct State: ModuleState {
        var choice = Choice.all
    }

    enum Choice: String, ModuleState {
        case all, pending, completed

        func includes(_ item: Todos.Item) -> Bool {
            switch self {
            case .all: true
            case .pending: !item.isCompleted
            case .completed: item.isCompleted
            }
        }
    }

    enum Action: ModuleAction {
        case chosen(Choice)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .chosen(let choice): state.choice = choice
        }
    }
}

/// An item on the screen, with the action that a tap on the item dispatches.
struct TodoCellViewModel: ViewModel {
    let text: String
    let complete: ActionLink?

    init(_ item: Todos.Item, at index: Int) {
        text = item.text
        complete = item.isCompleted ? nil : ActionLink(Todos.Action.completed(index: index))
    }
}

/// The items that one visitor sees.
struct VisibleItemsViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Todos.self, Filter.self]

    let cells: [TodoCellViewModel]
    let pending: Int

    init?(state: AppState) {
        let choice = state.filter.value.choice
        cells = state.todos.items.enumerated().filter { choice.includes($0.element) }
            .map { TodoCellViewModel($0.element, at: $0.offset) }
        pending = state.todos.items.count { !$0.isCompleted }
    }
}

struct AppState: RootState {
    var todos = Todos.State()
    var filter = PerSession(Filter.State())
    var sessions = Sessions.State()

    static let modules: Modules = [
        Todos().at(\.todos), Filter().at(\.filter), Sessions().at(\.sessions),
    ]
    static let views: Views = [VisibleItemsViewModel.self]
}

@main
struct App {
    static func main() { Server(AppState.self, name: "todo").main() }
}
