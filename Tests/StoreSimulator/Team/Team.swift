import StoreCore
import StorePatterns

/// A single slice for a role, from its start to its stop.
struct Bulletin: StartableModule, RestrictedModule {
    struct State: ModuleState {
        var text: String
        var role: String
    }

    struct Start: Codable, Equatable, Sendable {
        var text: String
        var role: String
    }

    enum Action: ModuleAction { case changed(text: String, role: String) }

    func readers(of bulletin: State) -> Readers { .roles([bulletin.role]) }
    func begin(_ start: Start) -> State { State(text: start.text, role: start.role) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .changed(let text, let role): state = State(text: text, role: role)
        }
    }
}

/// A count that all clients share.
struct Tally: Module {
    struct State: ModuleState { var count = 0 }
    enum Action: ModuleAction { case counted(by: Int) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .counted(let by): state.count &+= by
        }
    }
}

/// Removes a member from all dens.
struct Swept: StateUpdater {
    var member: String

    func updateState(_ state: inout Team) throws {
        for id in state.den.ids { state.den[id]?.members.removeAll { $0 == member } }
    }
}

/// The titles of the dens that the reader of the view reads, and the bulletin.
struct TitlesView: ViewModelWithState {
    static let name = "titles"
    static let reads: [any Module.Type] = [Den.self, Bulletin.self]

    let titles: [String]
    let bulletin: String

    init?(state: Team) {
        titles = state.den.ids.compactMap { state.den[$0]?.title }
        bulletin = state.bulletin?.text ?? ""
    }
}

/// A store of a team: slices that say who reads them, and slices of users.
struct Team: RootState {
    var den = Instances<Den.State>()
    var bulletin: Bulletin.State?
    var tally = Tally.State()
    var purse = PerPrincipal(Purse.State())
    var users = PerPrincipal(Users.State())
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Den().at(\.den).lifecycle(.everybody).presented(by: DenPresenter()),
        Bulletin().at(\.bulletin).lifecycle(.everybody),
        Tally().at(\.tally),
        Purse().at(\.purse),
        Users().at(\.users),
        Sessions().at(\.sessions),
        Schedule().at(\.schedule),
    ]
    static let dispatchables: Dispatchables = [Swept.self]
    static let views: Views = [TitlesView.self]
}
