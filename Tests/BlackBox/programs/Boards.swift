// Instances that clients share. Their mounts name the clients that may start and stop them.

import StoreCore
import StorePatterns
import StoreServer

/// A board, which clients may open, and only the program may close.
struct Boards: StartableModule {
    struct State: ModuleState {
        var title: String
        var lines: [String] = []
    }

    struct Start: Codable, Equatable, Sendable { let title: String }

    enum Action: ModuleAction { case written(text: String) }

    func begin(_ start: Start) -> State { State(title: start.title) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .written(let text): state.lines.append(text)
        }
    }
}

/// A lamp whose mount names no clients: only the program lights the lamp, by a use case.
struct Lamp: StartableModule {
    struct State: ModuleState { var isBright = false }

    func begin(_ start: NoFields) -> State { State() }
}

/// Lights the lamp.
struct Panel: Module {
    struct State: ModuleState { var presses = 0 }
    struct Press: Codable, Sendable {}

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("panel", "press") { (_: Press, context) in
                try await context.dispatch(Lamp.start)
            }
        ]
    }
}

/// A page of a book. A start turns to another page, and counts the turned pages.
struct Page: StartableModule {
    struct State: ModuleState {
        var title: String
        var turned = 0
    }

    struct Start: Codable, Equatable, Sendable { let title: String }

    func begin(_ start: Start) -> State { State(title: start.title) }

    func begin(_ start: Start, over old: State) throws -> State {
        guard start.title != old.title else { throw Refusal(reason: "It is open at that.") }
        return State(title: start.title, turned: old.turned + 1)
    }
}

/// A note that belongs to one session.
struct Note: StartableModule {
    struct State: ModuleState {}

    func begin(_ start: NoFields) -> State { State() }
}

struct AppState: RootState {
    var boards = Instances<Boards.State>()
    var lamp: Lamp.State?
    var panel = Panel.State()
    var page: Page.State?
    var note = PerSession<Note.State?>()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Boards().at(\.boards).lifecycle(start: .everybody, stop: .program),
        Lamp().at(\.lamp),
        Panel().at(\.panel),
        Page().at(\.page).lifecycle(.everybody),
        Note().at(\.note),
        Sessions().at(\.sessions),
    ]
}

Server(AppState.self).main()
