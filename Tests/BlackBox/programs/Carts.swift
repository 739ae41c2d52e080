// A shop whose carts, orders and notes belong to users. A visitor that signs in keeps the cart.

import StoreCore
import StorePatterns
import StoreServer

/// The prices, which all users share.
struct Catalogue: SharingModule {
    struct State: ModuleState {
        var prices = ["tea": 3, "mug": 9]
    }

    enum Action: ModuleAction {
        case priced(item: String, price: Int)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .priced(let item, let price): state.prices[item] = price
        }
    }

    func share(_ state: State) -> [String: Int] { state.prices }
}

/// The cart of a user.
struct Cart: KeepingModule, SharingModule, AdoptingModule {
    struct State: ModuleState {
        var items: [String] = []
        var prices = Shared<[String: Int]>()
        var thanks = 0
    }

    enum Action: ModuleAction {
        case added(item: String)
        case paid(ms: Int)
        case touched
        case kept(ms: Int)
    }

    enum Internal: ModuleAction {
        case thanked(name: String)
    }

    enum Work: ModuleWork { case thanking(ms: Int) }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .thanking(let ms):
            try await context.sleep(for: .milliseconds(ms))
            try await context.dispatch(
                Internal.thanked(name: context.principal?.name ?? "a visitor")
            )
        }
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .added(let item):
            guard state.prices.value?[item] != nil else {
                throw Refusal(reason: "There is no \(item).")
            }
            state.items.append(item)
        case .touched: break
        case .kept(let ms): return keep(.thanking(ms: ms), id: "keeping")
        case .paid(let ms):
            return .run(id: "paying") { context in
                try await context.sleep(for: .milliseconds(ms))
                // Reads the cart of the same user.
                let items = try await context.state().items.joined(separator: "+")
                let theme = try await context.state(of: AppState.self).theme.value
                let name = context.principal?.name ?? "a visitor"
                try await context.dispatch(Internal.thanked(name: "\(name) \(items) \(theme)"))
            }
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .thanked(let name):
            state.items = ["thanks, " + name]
            state.thanks += 1
        }
        return .none
    }

    func share(_ state: State) -> Int { state.items.count }

    func adopt(_ visitor: State, into user: inout State) throws {
        guard user.items.count + visitor.items.count <= 5 else {
            throw Refusal(reason: "The cart is too full.")
        }
        user.items += visitor.items
    }
}

/// The number of items in the cart, for a badge.
struct Badge: Module {
    struct State: ModuleState {
        var count = Shared<Int>()
    }
}

/// The orders of a user.
struct Order: ContextualModule, StartableModule {
    struct State: ModuleState {
        var lines: [String] = []
    }

    enum Action: ModuleAction {
        case noted(line: String)
    }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) {
        switch action {
        case .noted(let line):
            state.lines.append(
                "\(context.principal?.name ?? "-"):\(context.instance ?? "-"):\(line)"
            )
        }
    }
}

/// A note of a user, from its start to its stop. A visitor's note is dropped at a sign-in, unless
/// the user has none.
struct Note: StartableModule, AdoptingModule {
    struct State: ModuleState {
        var text: String
    }

    struct Start: Codable, Equatable, Sendable { var text: String }

    enum Action: ModuleAction { case changed(text: String) }

    func begin(_ start: Start) -> State { State(text: start.text) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .changed(let text): state.text = text
        }
    }

    func adopt(_ visitor: State, into user: inout State) { user.text += " and " + visitor.text }
}

/// The taps of a session.
struct Taps: Module {
    struct State: ModuleState { var count = 0 }

    enum Action: ModuleAction { case tapped }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}

struct ThemeChosen: StateUpdater {
    var theme: String

    func updateState(_ state: inout AppState) throws { state.theme.value = theme }
}

/// The sum of the cart, for the user that reads the view.
struct SumViewModel: ViewModelWithState {
    static let name = "sum"
    static let reads: [any ModuleInterface.Type] = [Cart.self, Catalogue.self]
    let sum: Int

    init?(state: AppState) {
        sum = state.cart.value.items.reduce(0) { $0 + (state.catalogue.prices[$1] ?? 0) }
    }
}

/// The cart and the taps: a view of a session and its user.
struct DeskViewModel: ViewModelWithState {
    static let name = "desk"
    let items: Int
    let taps: Int

    init?(state: AppState) {
        items = state.cart.value.items.count
        taps = state.taps.value.count
    }
}

struct AppState: RootState {
    var catalogue = Catalogue.State()
    var cart = PerPrincipal(Cart.State())
    var badge = PerPrincipal(Badge.State())
    var order = PerPrincipal<Instances<Order.State>>()
    var note = PerPrincipal<Note.State?>()
    var taps = PerSession(Taps.State())
    var theme = PerPrincipal("light")
    var users = PerPrincipal(Users.State())
    var sessions = Sessions.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [
        Catalogue().at(\.catalogue),
        Cart().at(\.cart).reading(\Cart.State.prices, of: Catalogue.self),
        Badge().at(\.badge).reading(\Badge.State.count, of: Cart.self),
        Order().at(\.order), Note().at(\.note), Taps().at(\.taps),
        .field("theme", \.theme),
        Users().at(\.users), Sessions().at(\.sessions), PendingEffects().at(\.effects),
    ]

    static let dispatchables: Dispatchables = [ThemeChosen.self]
    static let views: Views = [SumViewModel.self, DeskViewModel.self]
}

Server(AppState.self)
    .main()
