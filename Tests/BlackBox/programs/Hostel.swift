// A hostel that has everything at once: timers, carts that visitors keep when they sign in,
// personal values, and presence in a store beside it.

import StoreCore
import StorePatterns
import StoreServer

/// Bells that all guests share.
struct Bells: EffectfulModule {
    struct State: ModuleState {
        var rung: [String: Int] = [:]
    }

    enum Action: ModuleAction {
        case set(label: String, ms: Int, missed: MissedTimer)
        case repeated(label: String, seconds: Int, missed: MissedTimer)
        case cancelled(label: String)
    }

    enum Internal: ModuleAction { case rang(label: String) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .set(let label, let ms, let missed):
            .after(.milliseconds(ms), id: label, Internal.rang(label: label), missed: missed)
        case .repeated(let label, let seconds, let missed):
            .every(.seconds(seconds), id: label, Internal.rang(label: label), missed: missed)
        case .cancelled(let label): .cancel(id: label)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .rang(let label): state.rung[label, default: 0] += 1
        }
        return .none
    }
}

/// A room from its start to its stop, which ends its calls.
struct Room: EffectfulModule, StartableModule {
    struct State: ModuleState {
        var calls = 0
    }

    enum Action: ModuleAction { case booked }
    enum Internal: ModuleAction { case called }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        .every(.seconds(1), id: "call", Internal.called, missed: .each)
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.calls += 1
        return .none
    }
}

/// The cart of a guest, whose reserved items lapse.
struct Cart: EffectfulModule, AdoptingModule {
    struct State: ModuleState {
        var items: [Int] = []
        var lapsed: [Int] = []
    }

    enum Action: ModuleAction {
        case added(item: Int)
        case reserved(item: Int, ms: Int)
    }

    enum Internal: ModuleAction { case lapsed(item: Int) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .added(let item):
            state.items.append(item)
            return .none
        case .reserved(let item, let ms):
            state.items.append(item)
            return .after(.milliseconds(ms), id: "\(item)", Internal.lapsed(item: item))
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .lapsed(let item):
            state.items.removeAll { $0 == item }
            state.lapsed.append(item)
        }
        return .none
    }

    func adopt(_ visitor: State, into user: inout State) {
        user.items += visitor.items
        user.lapsed += visitor.lapsed
    }
}

/// The notes of a guest, which are personal.
struct Profile: Module {
    struct State: ModuleState {
        var notes: [String] = []
    }

    enum Action: ModuleAction { case noted(number: Int, text: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .noted(_, let text): state.notes.append(text)
        }
    }
}

/// The addresses that guests gave for other guests, in one slice for all.
struct Invitations: Module {
    struct State: ModuleState {
        var emails: [String: [String]] = [:]
    }

    enum Action: ModuleAction {
        case sent(number: Int, invitee: String, email: String)
        case removed(invitee: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .sent(_, let invitee, let email): state.emails[invitee, default: []].append(email)
        case .removed(let invitee): state.emails[invitee] = nil
        }
    }
}

struct AppState: RootState {
    var bells = Bells.State()
    var room = Instances<Room.State>()
    var cart = PerPrincipal(Cart.State())
    var profile = PerPrincipal(Profile.State())
    var invitations = Invitations.State()
    var users = PerPrincipal(Users.State())
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Bells().at(\.bells), Room().at(\.room).lifecycle(.everybody), Cart().at(\.cart),
        Profile().at(\.profile), Invitations().at(\.invitations), Users().at(\.users),
        Sessions().at(\.sessions), Schedule().at(\.schedule),
    ]
}

struct Live: RootState {
    var whereabouts = Whereabouts<NoFields>.State()
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Whereabouts<NoFields>(silence: .seconds(30)).at(\.whereabouts),
        Sessions().at(\.sessions), Schedule().at(\.schedule),
    ]
}

Server(AppState.self)
    .personal("profile/noted", "/text")
    .personal("invitations/sent", "/email", of: "/invitee")
    .forgetting {
        [Users.Internal.forgotten(principal: $0), Invitations.Action.removed(invitee: $0)]
    }
    .store(Server(Live.self).ephemeral(), named: "live")
    .main()
