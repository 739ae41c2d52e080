// A store whose actions change the whole state (docs/WRITING_STORES.md): a title, a theme and a
// cart for each session, and orders for all. Modules start with the store or with a session.
// MARKET names a defect: `closed` for a module that refuses its start, `crate` for a slice of a
// session that refuses its start.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

let wish = getenv("MARKET").map { String(cString: $0) } ?? ""

struct Orders: SharingModule {
    struct State: ModuleState { var placed: [String] = [] }
    enum Action: ModuleAction { case cleared }

    func share(_ state: State) -> Int { state.placed.count }
    func reduce(_ state: inout State, _ action: Action) { state.placed = [] }
}

struct Cart: Module {
    struct State: ModuleState {
        var items: [String] = []
        var placed = Shared<Int>()
    }

    enum Action: ModuleAction { case added(String) }

    func reduce(_ state: inout State, _ action: Action) {
        if case .added(let item) = action { state.items.append(item) }
    }
}

struct Stall: StartableModule, EffectfulModule {
    struct State: ModuleState {
        let name: String
        var bells = 0
    }

    struct Start: Codable, Equatable, Sendable { let name: String }
    enum Internal: ModuleAction { case rang }

    func begin(_ start: Start) throws -> State {
        if start.name == "closed" { throw Refusal(reason: "The stall is closed today.") }
        return State(name: start.name)
    }

    func effect(afterStart start: Start, in state: State) -> Effect<State> {
        .run { try await $0.dispatch(Internal.rang) }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.bells += 1
        return .none
    }
}

struct Crate: StartableModule {
    struct State: ModuleState { var apples = 3 }
    enum Action: ModuleAction { case emptied }

    func begin(_ start: NoFields) throws -> State {
        if wish == "crate" { throw Refusal(reason: "There are no crates left.") }
        return State()
    }

    func reduce(_ state: inout State, _ action: Action) { state.apples = 0 }
}

/// A log of the actions that the root reducer gets.
struct Journal: Module {
    struct State: ModuleState { var lines: [String] = [] }
}

struct Market: RootState {
    var title = "Market"
    var theme = PerSession("light")
    var orders = Orders.State()
    var cart = PerSession(Cart.State())
    var stall: Stall.State?
    var crate = PerSession<Crate.State?>()
    var journal = Journal.State()
    var sessions = Sessions.State()

    static let modules: Modules = [
        .field("title", \.title),
        .field("theme", \.theme),
        Orders().at(\.orders),
        Cart().at(\.cart).reading(\Cart.State.placed, of: Orders.self),
        Stall().started(with: .init(name: wish == "closed" ? wish : "fruit")).at(\.stall)
            .lifecycle(.everybody),
        Crate().started.at(\.crate),
        Journal().at(\.journal),
        Sessions().at(\.sessions),
    ]
    static let dispatchables: Dispatchables = [Checkout.self, Renamed.self, Themed.self, Gift.self]
    static let presenters: Presenters = [ReceiptPresenter()]
    static let views: Views = [SignViewModel.self, WholeViewModel.self]
    static let reducer: RootReducer<Market>? = { state, action in
        switch action {
        case is Cart.Action:
            // The root reducer sees the cart after the module's own reducer.
            if state.cart.value.items.count > 3 { throw Refusal(reason: "A cart takes three.") }
        case is Renamed: state.journal.lines.append("renamed to \(state.title)")
        case is Noted: state.journal.lines.append("noted")
        default: break
        }
    }
}

/// Empties the session's cart and places an order, in one version.
struct Checkout: StateUpdater {
    func updateState(_ state: inout Market) throws {
        let items = state.cart.value.items
        guard !items.isEmpty else { throw Refusal(reason: "The cart is empty.") }
        state.cart.value.items = []
        state.orders.placed += items
    }
}

struct Renamed: StateUpdater {
    let title: String

    func updateState(_ state: inout Market) { state.title = title }
}

struct Themed: StateUpdater {
    let theme: String

    func updateState(_ state: inout Market) { state.theme.value = theme }
}

/// Puts something into the cart of another session.
struct Gift: StateUpdater {
    let to: String
    let item: String

    func updateState(_ state: inout Market) { state.cart[to].items.append(item) }
}

/// An action that no module has and the root reducer gets.
struct Noted: Action, Codable {}

/// Thanks for each order.
struct ReceiptPresenter: Presenter {
    func stateDidUpdate(from old: Market?, to new: Market?, _ context: PresenterContext) {
        guard let old, let new, old.orders.placed.count < new.orders.placed.count else { return }
        context.dispatch(Themed(theme: "thanks"))
    }
}

/// Names one module, and reads the fields.
struct SignViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Orders.self]
    let text: String

    init?(state: Market) {
        text = "\(state.title), \(state.theme.value): \(state.orders.placed.count)"
    }
}

/// Reads the whole state.
struct WholeViewModel: ViewModelWithState {
    let carts: Int
    let title: String

    init?(state: Market) { (carts, title) = (state.cart.value.items.count, state.title) }
}

Server(Market.self, actions: [Noted.self]).main()
