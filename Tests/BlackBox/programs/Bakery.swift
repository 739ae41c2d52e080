// A store whose parts use the whole state (docs/SEEDS.md, S2 to S8). The program has its own
// middleware, a view of several slices with views in it, and a module that starts with the store.

import StoreCore
import StorePatterns
import StoreServer

/// Orders, the newest first.
struct Orders: Module {
    struct State: ModuleState {
        var items: [Item] = []
        var log: [String] = []
    }

    struct Item: ModuleState {
        var id: Int
        var text: String
    }

    enum Action: ModuleAction {
        case placed(text: String)
        case cancelled(id: Int)
        case noted(String)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .placed(let text):
            state.items.insert(Item(id: (state.items.first?.id ?? 0) + 1, text: text), at: 0)
        case .cancelled(let id):
            guard state.items.contains(where: { $0.id == id }) else {
                throw Refusal(reason: "There is no order \(id).")
            }
            state.items.removeAll { $0.id == id }
        case .noted(let text): state.log.append(text)
        }
    }
}

/// A module that is started while the shop is open.
struct Counter: StartableModule {
    struct State: ModuleState {
        var served = 0
    }

    enum Action: ModuleAction { case served }

    func begin(_ start: NoFields) -> State { State() }

    func begin(_ start: NoFields, over old: State) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) { state.served += 1 }
}

/// A row of ``OrdersViewModel``.
struct RowViewModel: Encodable, Equatable, Sendable {
    let id: Int
    let title: String

    init(_ item: Orders.Item) {
        id = item.id
        title = "\(item.id): \(item.text)"
    }
}

struct OrdersViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Orders.self, Counter.self]

    let rows: [RowViewModel]
    let served: Int?

    init?(state: AppState) {
        rows = state.orders.items.map { RowViewModel($0) }
        served = state.counter?.served
    }
}

struct AppState: RootState {
    var orders = Orders.State()
    var counter: Counter.State?

    static let modules: Modules = [
        Orders().at(\.orders), Counter().at(\.counter).lifecycle(.everybody),
    ]
    static let views: Views = [OrdersViewModel.self]
}

/// Middleware that prints a line for each action.
func seen(_ name: String) -> Middleware<AppState> {
    { state, action, _ in
        guard case .placed(let text) = action as? Orders.Action else { return nil }
        print("\(name): \(text), before it \(state.orders.items.count)")
        return nil
    }
}

Server(AppState.self)
    .middleware("first", seen("first"))
    .middleware("second", seen("second"))
    .reactions(
        .onStart { Counter.start },
        .onStateChange { old, new in
            let isFirst = old.orders.items.isEmpty && new.orders.items.count == 1
            return isFirst && new.counter != nil ? Orders.Action.noted("first order") : nil
        }
    )
    .main()
