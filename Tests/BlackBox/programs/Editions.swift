// A program of modules in three editions; EDITION chooses the edition. Boards are instances. In
// the second edition, their action `cardAdded` has another label under the same name. In the third
// edition, the action is called `noteAdded`.

import Glibc
import StoreCore
import StoreServer

struct BoardState: ModuleState {
    var cards: [String] = []
}

struct FirstBoard: StartableModule {
    typealias State = BoardState
    static let name = "boards"

    enum Action: ModuleAction {
        case cardAdded(text: String)
    }

    func begin(_ start: NoFields) -> BoardState { BoardState() }

    func reduce(_ state: inout BoardState, _ action: Action) {
        switch action {
        case .cardAdded(let text): state.cards.append(text)
        }
    }
}

struct SecondBoard: StartableModule {
    typealias State = BoardState
    static let name = "boards"

    enum Action: ModuleAction {
        case cardAdded(title: String)
    }

    func begin(_ start: NoFields) -> BoardState { BoardState() }

    func reduce(_ state: inout BoardState, _ action: Action) {
        switch action {
        case .cardAdded(let title): state.cards.append(title)
        }
    }
}

struct ThirdBoard: StartableModule {
    typealias State = BoardState
    static let name = "boards"

    enum Action: ModuleAction {
        case noteAdded(String)

        enum NoteAddedCodingKeys: String, CodingKey {
            case _0 = "text"
        }
    }

    func begin(_ start: NoFields) -> BoardState { BoardState() }

    func reduce(_ state: inout BoardState, _ action: Action) {
        switch action {
        case .noteAdded(let text): state.cards.append(text)
        }
    }
}

struct FirstState: RootState {
    var boards = Instances<BoardState>()
    static let modules: Modules = [FirstBoard().at(\.boards).lifecycle(.everybody)]
}

struct SecondState: RootState {
    var boards = Instances<BoardState>()
    static let modules: Modules = [SecondBoard().at(\.boards).lifecycle(.everybody)]
}

struct ThirdState: RootState {
    var boards = Instances<BoardState>()
    static let modules: Modules = [ThirdBoard().at(\.boards).lifecycle(.everybody)]
}

struct TextField: Decodable { let text: String }
struct TitleField: Decodable { let title: String }

switch getenv("EDITION").map({ String(cString: $0) }) ?? "first" {
case "second":
    Server(SecondState.self)
        .migrations(
            .action("boards/{id}/cardAdded", from: TextField.self) {
                SecondBoard.Action.cardAdded(title: "old " + $0.text)
            }
        )
        .main()
case "third":
    // The form of each record decides which of the two migrations reads it.
    Server(ThirdState.self)
        .migrations(
            .action("boards/{id}/cardAdded", from: TextField.self) { old, id in
                ThirdBoard.Action.noteAdded("\(id): \(old.text)")
            },
            .action("boards/{id}/cardAdded", from: TitleField.self) {
                ThirdBoard.Action.noteAdded($0.title)
            }
        )
        .main()
case "moved":
    Server(FirstState.self)
        .migrations(
            .action("boards/{id}/cardAdded", from: TextField.self) { old, id in
                FirstBoard.Action.cardAdded(text: old.text).to(id == "a" ? "b" : id)
            }
        )
        .main()
case "renamed":
    Server(ThirdState.self).main()
default:
    Server(FirstState.self).main()
}
