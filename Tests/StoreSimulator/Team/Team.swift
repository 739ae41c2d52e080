import StoreCore
import StorePatterns
import Synchronization

/// A room with members. Only its readers read it.
struct Den: ContextualModule, ContextualStartableModule, RestrictedModule {
    static let membersMax = 4

    struct State: ModuleState {
        var title: String
        var members: [String]
        var role = ""
        var isOpen = false
        var notes: [String] = []
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
        var isOpen: Bool
    }

    enum Action: ModuleAction {
        case noted(text: String)
        case titled(title: String)
        case invited(member: String)
        case removed(member: String)
        /// Makes a role a reader; no role, if it is empty.
        case lent(role: String)
        case opened(isOpen: Bool)
        /// Sets a timer for a note.
        case planned(text: String, seconds: Int)
        /// An action that changes nothing.
        case looked(text: String)
    }

    enum Internal: ModuleAction {
        case planRan(text: String)
    }

    func readers(of den: State) -> Readers {
        let members = Readers.principals(den.members)
        if den.isOpen { return members + .all }
        return den.role.isEmpty ? members : members + .roles([den.role])
    }

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        State(
            title: start.title,
            members: context.principal.map { [$0.name] } ?? [],
            isOpen: start.isOpen
        )
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        switch action {
        case .noted(let text):
            if state.notes.count == 3 { state.notes.removeFirst() }
            state.notes.append(text)
        case .titled(let title): state.title = title
        case .invited(let member):
            guard state.members.count < Self.membersMax else {
                throw Refusal(reason: "The den is full.")
            }
            if !state.members.contains(member) { state.members.append(member) }
        case .removed(let member): state.members.removeAll { $0 == member }
        case .lent(let role): state.role = role
        case .opened(let isOpen): state.isOpen = isOpen
        case .planned(let text, let seconds):
            return .after(.seconds(seconds), id: "plan", Internal.planRan(text: text))
        case .looked: break
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .planRan(let text): state.title = text
        }
        return .none
    }
}

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

/// A store of a team: slices that say who reads them.
struct Team: RootState {
    var den = Instances<Den.State>()
    var bulletin: Bulletin.State?
    var tally = Tally.State()
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Den().at(\.den).lifecycle(.everybody),
        Bulletin().at(\.bulletin).lifecycle(.everybody),
        Tally().at(\.tally),
        Sessions().at(\.sessions),
        Schedule().at(\.schedule),
    ]
    static let dispatchables: Dispatchables = [Swept.self]
    static let views: Views = [TitlesView.self]
}
