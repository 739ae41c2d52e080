import StoreCore
import StorePatterns
import StoreServer

/// A chat room. There are many rooms, each with an id of its own, and all clients share the rooms.
struct Room: StartableModule {
    static let name = "rooms"
    /// The maximum number of lines that a room keeps.
    static let linesMax = 1_000

    struct State: ModuleState {
        var title: String
        var lines: [Line] = []
    }

    struct Line: ModuleState {
        var author: String
        var text: String
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
    }

    enum Action: ModuleAction {
        case said(author: String, text: String)
    }

    func begin(_ start: Start) throws -> State {
        guard !start.title.isEmpty else { throw Refusal(reason: "A room has a title.") }
        return State(title: start.title)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .said(let author, let text):
            guard !text.isEmpty else { throw Refusal(reason: "A line has text.", pointer: "/text") }
            state.lines.append(Line(author: author, text: text))
            if state.lines.count > Self.linesMax { state.lines.removeFirst() }
        }
    }
}

/// The draft of a visitor and the open room: one slice for each session.
struct Draft: Module {
    struct State: ModuleState {
        var room: String?
        var text = ""
    }

    enum Action: ModuleAction {
        case roomOpened(id: String)
        case typed(text: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .roomOpened(let id): state = State(room: id)
        case .typed(let text): state.text = text
        }
    }
}

/// The screen of one visitor: the lines of the open room, and the visitor's own draft.
struct ScreenViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Room.self, Draft.self]

    let title: String
    let lines: [String]
    let draft: String

    init?(state: AppState) {
        let draft = state.draft.value
        guard let id = draft.room, let room = state.rooms[id] else { return nil }
        title = room.title
        lines = room.lines.map { "\($0.author): \($0.text)" }
        self.draft = draft.text
    }
}

struct AppState: RootState {
    var rooms = Instances<Room.State>()
    var draft = PerSession(Draft.State())
    var sessions = Sessions.State()

    static let modules: Modules = [
        // Every visitor may open a room, but no visitor may close a room.
        Room().at(\.rooms).lifecycle(start: .everybody, stop: .program),
        Draft().at(\.draft), Sessions().at(\.sessions),
    ]
    static let views: Views = [ScreenViewModel.self]
}

@main
struct App {
    static func main() { Server(AppState.self, name: "chat").main() }
}
