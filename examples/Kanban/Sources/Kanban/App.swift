import StoreCore
import StorePatterns
import StoreServer

struct AppState: RootState {
    var board = Instances<Board.State>()
    var sessions = Sessions.State()
    var effects = PendingEffects.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Board().at(\.board).lifecycle(.everybody),
        Sessions().at(\.sessions),
        PendingEffects().at(\.effects),
        Schedule().at(\.schedule),
    ]
    static let dispatchables: Dispatchables = [PersonForgotten.self]
    static let views: Views = [BoardsViewModel.self, BoardViewModel.self, SearchViewModel.self]
}

/// Removes a person from all boards. An operator dispatches this action.
struct PersonForgotten: StateUpdater {
    var principal: String

    func updateState(_ state: inout AppState) throws {
        for id in state.board.ids { state.board[id]?.forget(principal) }
    }
}

/// The payload of `board/{id}/edited` in records of version 1, whose cards had titles.
struct EditedInVersion1: Decodable, Sendable {
    let card: String
    let title: String
}

@main
enum Kanban {
    static func main() {
        Server(AppState.self, name: "kanban")
            .migrations(
                .action("board/{id}/edited", from: EditedInVersion1.self) { old, id in
                    Board.Action.edited(card: old.card, text: old.title).to(id)
                }
            )
            .main()
    }
}
