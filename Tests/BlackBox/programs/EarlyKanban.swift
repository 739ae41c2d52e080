// The first version of examples/Kanban, whose cards had titles. A test starts the example on the
// data of this program.

import StoreCore
import StorePatterns
import StoreServer

struct Board: RestrictedModule, ContextualStartableModule, ContextualModule {
    struct State: ModuleState {
        var title: String
        var members: [String]
        var columns: [String]
        var cards: [String: Card] = [:]
    }

    struct Card: ModuleState {
        var title: String
        var column: String
        var rank: Rank
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
        var columns: [String]
    }

    enum Action: ModuleAction {
        case added(card: String, title: String, column: String)
        case edited(card: String, title: String)
        case invited(member: String)
    }

    func readers(of board: State) -> Readers { .principals(board.members) }

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        guard let owner = context.principal?.name else { throw Refusal.forbidden("Sign in.") }
        return State(title: start.title, members: [owner], columns: start.columns)
    }

    func reduce(_ board: inout State, _ action: Action, in context: ReducerContext) throws {
        switch action {
        case .added(let id, let title, let column):
            let last = board.cards.values.filter { $0.column == column }.map(\.rank).max()
            board.cards[id] = Card(title: title, column: column, rank: .after(last))
        case .edited(let id, let title): board.cards[id]?.title = title
        case .invited(let member): board.members.append(member)
        }
    }
}

struct AppState: RootState {
    var board = Instances<Board.State>()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Board().at(\.board).lifecycle(.everybody), Sessions().at(\.sessions),
    ]
}

Server(AppState.self, name: "kanban", version: "1.0.0").main()
