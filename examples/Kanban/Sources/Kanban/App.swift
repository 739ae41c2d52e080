import StoreCore
import StorePatterns
import StoreServer

struct AppState: RootState {
    var board = Instances<Board.State>()
    var sessions = Sessions.State()
    var users = PerPrincipal(Users.State())
    var effects = PendingEffects.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Board().at(\.board).lifecycle(start: .everybody, stop: .program),
        Sessions().at(\.sessions),
        Users().at(\.users),
        PendingEffects().at(\.effects),
        Schedule().at(\.schedule),
    ]
    static let dispatchables: Dispatchables = [PersonForgotten.self]
    static let views: Views = [BoardsViewModel.self, BoardViewModel.self, SearchViewModel.self]
}

/// Removes a person from all boards. The next member then owns the boards of the person; a board
/// without members ends.
struct PersonForgotten: StateUpdater {
    var principal: String

    func updateState(_ state: inout AppState) {
        for id in state.board.ids {
            state.board[id]?.forget(principal)
            if state.board[id]?.members.isEmpty == true { state.board[id] = nil }
        }
    }
}

/// The bound on boards. An interceptor sees all boards, and the start of a board only its own.
let boundOfBoards: Interceptor<AppState> = { state, action, _ in
    guard (action as? AddressedAction)?.action is ModuleStart<Board>,
        state.board.count >= Board.boardsMax
    else { return .proceed }
    throw Refusal(reason: "There are \(Board.boardsMax) boards, the maximum.")
}

/// The payload of `board/{id}/added` in records of version 1, whose cards had titles.
struct AddedInVersion1: Decodable, Sendable {
    let card: String
    let title: String
    let column: String
}

/// The payload of `board/{id}/edited` in records of version 1.
struct EditedInVersion1: Decodable, Sendable {
    let card: String
    let title: String
}

@main
enum Kanban {
    static func main() {
        Server(AppState.self, name: "kanban", version: "2.0.0")
            .options(KanbanOptions.self)
            .interceptor("bound of boards", boundOfBoards)
            .store(Server(Live.self).ephemeral(pace: .seconds(1)), named: "live")
            .migrations(
                .action("board/{id}/added", from: AddedInVersion1.self) { old, id in
                    Board.Action.added(card: old.card, text: old.title, column: old.column).to(id)
                },
                .action("board/{id}/edited", from: EditedInVersion1.self) { old, id in
                    Board.Action.edited(card: old.card, text: old.title).to(id)
                }
            )
            .personal("board/{id}/commented", "/text")
            .forgetting {
                [Users.Internal.forgotten(principal: $0), PersonForgotten(principal: $0)]
            }
            .main()
    }
}
