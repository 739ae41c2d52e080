// Boards of teams: only the members of a board read the board.

import StoreCore
import StorePatterns
import StoreServer

/// A board with members. Members invite others; a public board is for all clients.
struct Board: ContextualModule, ContextualStartableModule, RestrictedModule {
    static let dispatchables: [any Dispatchable.Type] = [Awaited.self]

    struct State: ModuleState {
        var title: String
        var members: [String]
        var isPublic = false
        var cards: [String] = []
    }

    struct Start: Codable, Equatable, Sendable { var title: String }

    enum Action: ModuleAction {
        case added(card: String)
        case invited(member: String)
        case removed(member: String)
        case published
        case withdrawn
        case renamed(title: String)
        /// Adds a card after a while.
        case postponed(card: String, ms: Int)
        /// Adds a card by a timer.
        case planned(card: String, ms: Int)
    }

    enum Internal: ModuleAction {
        case arrived(card: String)
    }

    func readers(of board: State) -> Readers {
        board.isPublic ? .all : .principals(board.members) + .roles(["support"])
    }

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        guard let name = context.principal?.name else {
            throw Refusal.forbidden("A visitor has no boards.")
        }
        return State(title: start.title, members: [name])
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        switch action {
        case .added(let card): state.cards.append(card)
        case .invited(let member):
            guard !state.members.contains(member) else { break }
            state.members.append(member)
        case .removed(let member): state.members.removeAll { $0 == member }
        case .published: state.isPublic = true
        case .withdrawn: state.isPublic = false
        case .renamed(let title): state.title = title
        case .postponed(let card, let ms):
            return .run(id: "postponed") { context in
                try await context.sleep(for: .milliseconds(ms))
                try await context.dispatch(Internal.arrived(card: card))
            }
        case .planned(let card, let ms):
            return .after(.milliseconds(ms), id: "planned", Internal.arrived(card: card))
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .arrived(let card): state.cards.append(card)
        }
        return .none
    }
}

/// Waits for a card, and returns the board, or fails with its title.
struct Awaited: SideEffect {
    var card: String
    var isRefused = false

    func sideEffect(_ context: EffectContext<Board.State>) async throws -> Board.State {
        var board = try await context.state()
        while !board.cards.contains(card) {
            try await context.sleep(for: .milliseconds(5))
            board = try await context.state()
        }
        if isRefused { throw Refusal(reason: board.title) }
        return board
    }
}

/// A notice for one role, from its start to its stop.
struct Notice: StartableModule, RestrictedModule {
    struct State: ModuleState {
        var text: String
        var role: String
    }

    struct Start: Codable, Equatable, Sendable {
        var text: String
        var role: String
    }

    enum Action: ModuleAction { case changed(text: String) }

    func readers(of notice: State) -> Readers { .roles([notice.role]) }
    func begin(_ start: Start) -> State { State(text: start.text, role: start.role) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .changed(let text): state.text = text
        }
    }
}

/// The number of taps, which all clients share.
struct Taps: Module {
    struct State: ModuleState { var count = 0 }
    enum Action: ModuleAction { case tapped }
    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}

/// Removes a principal from all boards: a function of the whole state.
struct Removed: StateUpdater {
    var member: String

    func updateState(_ state: inout AppState) {
        for id in state.board.ids {
            state.board[id]?.members.removeAll { $0 == member }
        }
    }
}

/// Is refused with the title of a board: a reason that may name any part of the state.
struct Titled: StateUpdater {
    var board: String

    func updateState(_ state: inout AppState) throws {
        throw Refusal(reason: state.board[board]?.title ?? "There is no board.")
    }
}

/// The titles of the boards that the reader of the view reads.
struct TitlesViewModel: ViewModelWithState {
    static let name = "titles"
    static let reads: [any ModuleInterface.Type] = [Board.self, Notice.self]
    let titles: [String]
    let notice: String?

    init?(state: AppState) {
        titles = state.board.ids.compactMap { state.board[$0]?.title }
        notice = state.notice?.text
    }
}

struct AppState: RootState {
    var board = Instances<Board.State>()
    var notice: Notice.State?
    var taps = Taps.State()
    var sessions = Sessions.State()
    var effects = PendingEffects.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Board().at(\.board).lifecycle(.everybody),
        Notice().at(\.notice).lifecycle(.everybody),
        Taps().at(\.taps),
        Sessions().at(\.sessions), PendingEffects().at(\.effects), Schedule().at(\.schedule),
    ]

    static let dispatchables: Dispatchables = [Removed.self, Titled.self]
    static let views: Views = [TitlesViewModel.self]
}

Server(AppState.self)
    .main()
