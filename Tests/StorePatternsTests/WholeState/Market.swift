import StoreCore
import StorePatterns
import StoreTesting

/// A root state with each kind of slice, two fields, and actions of the whole state.
struct Market: RootState {
    var title = "Market"
    var theme = PerSession("light")
    var orders = Orders.State()
    var cart = PerSession(Cart.State())
    var stall: Stall.State?
    var tabs = PerSession<Tab.State?>()
    var crates = Instances<Crate.State>()
    var effects = PendingEffects.State()
    var sessions = Sessions.State()

    static let modules: Modules = [
        .field("title", \.title),
        .field("theme", \.theme),
        Orders().at(\.orders),
        Cart().at(\.cart).reading(\Cart.State.placed, of: Orders.self),
        Stall().started(with: .init(name: "fruit")).at(\.stall),
        Tab().started.at(\.tabs),
        Crate().at(\.crates),
        PendingEffects().at(\.effects),
        Sessions().at(\.sessions),
    ]

    static let dispatchables: Dispatchables = [Checkout.self, Changed.self]
    static let presenters: Presenters = [MarketPresenter()]
    static let views: Views = [TitleView.self]
}

/// Reads a field, and names one module.
struct TitleView: ViewModelWithState {
    static let name = "title"
    static let reads: [any Module.Type] = [Orders.self]
    let text: String

    init?(state: Market) { text = state.title + " " + state.theme.value }
}

struct Orders: SharingModule {
    struct State: ModuleState { var placed: [String] = [] }
    enum Action: ModuleAction { case placed(String) }

    func share(_ state: State) -> Int { state.placed.count }
    func reduce(_ state: inout State, _ action: Action) {
        if case .placed(let item) = action { state.placed.append(item) }
    }
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
        var name = ""
        var rings = 0
    }

    struct Start: Codable, Equatable, Sendable { var name = "" }
    enum Action: ModuleAction { case waited }
    enum Internal: ModuleAction { case rang }

    /// The recorder of effects that end; true stands for a cancelled effect.
    @TaskLocal static var ended: Recorder<Bool>?

    func begin(_ start: Start) throws -> State {
        if start.name == "closed" { throw Refusal(reason: "It is closed.") }
        return State(name: start.name)
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        .run { [ended = Stall.ended] context in
            defer { ended?.record(Task.isCancelled) }
            try await context.sleep(for: .seconds(60))
            try await context.dispatch(Internal.rang)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.rings += 1
        return .none
    }
}

struct Tab: StartableModule {
    struct State: ModuleState { var opened = 1 }
    enum Action: ModuleAction { case opened }

    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Action) { state.opened += 1 }
}

struct Crate: StartableModule {
    struct State: ModuleState { var apples = 0 }
    enum Action: ModuleAction { case filled }

    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Action) { state.apples += 1 }
}

/// Empties the cart of the session, and puts its items among the orders.
struct Checkout: StateUpdater {
    func updateState(_ state: inout Market) throws {
        let items = state.cart.value.items
        state.cart.value.items = []
        state.orders.placed += items
        if items.isEmpty { throw Refusal(reason: "The cart is empty.") }
    }
}

/// Changes a part of the whole state.
struct Changed: StateUpdater {
    enum What: String, Codable, Sendable {
        case nothing, title, theme, cartOfBob, cartAgain, cartsAnew, cartsOtherwise, stallGone
        case crate, namelessCrate, noCrate, sessions, effects, all
    }

    let what: What

    func updateState(_ state: inout Market) throws {
        switch what {
        case .nothing: break
        case .title: state.title = "Bazaar"
        case .theme: state.theme.value = "dark"
        case .cartOfBob: state.cart["bob"].items.append("gift")
        case .cartAgain: state.cart.value.items = state.cart.value.items.map { $0 }
        case .cartsAnew: state.cart = PerSession(Cart.State())
        case .cartsOtherwise: state.cart = PerSession(Cart.State(items: ["free"]))
        case .stallGone: state.stall = nil
        case .crate: state.crates["7"] = Crate.State(apples: 7)
        case .namelessCrate: state.crates[""] = Crate.State()
        case .noCrate: state.crates = Instances()
        case .sessions: state.sessions = Sessions.State()
        case .effects: state.effects.forget()
        case .all:
            for session in ["ada", "bob"] { state.theme[session] = "blue" }
            state.crates["8"] = Crate.State()
            state.orders.placed.append("all")
            state.title = "All"
        }
    }
}

extension PendingEffects.State {
    /// Replaces the ledger, as a program can.
    fileprivate mutating func forget() { self = PendingEffects.State() }
}

/// Records its calls, and dispatches once for each theme.
struct MarketPresenter: Presenter {
    struct Shown: Sendable, Equatable {
        let session: String?
        let old: String?
        let new: String?
        let items: [String]?
    }

    @TaskLocal static var shown: Recorder<Shown>?

    func stateDidUpdate(from old: Market?, to new: Market?, _ context: PresenterContext) {
        MarketPresenter.shown?.record(
            Shown(
                session: context.session,
                old: old?.theme.value,
                new: new?.theme.value,
                items: new?.cart.value.items
            )
        )
        if MarketPresenter.shown != nil, let old, let new, old.theme.value != new.theme.value {
            context.dispatch(Cart.Action.added("lamp"))
        }
    }
}
