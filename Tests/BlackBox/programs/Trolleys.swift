// The first version of Carts: its carts belong to sessions.

import StoreCore
import StorePatterns
import StoreServer

struct Cart: Module {
    struct State: ModuleState {
        var items: [String] = []
    }

    enum Action: ModuleAction {
        case added(item: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .added(let item): state.items.append(item)
        }
    }
}

struct AppState: RootState {
    var cart = PerSession(Cart.State())
    var sessions = Sessions.State()

    static let modules: Modules = [Cart().at(\.cart), Sessions().at(\.sessions)]
}

Server(AppState.self)
    .main()
