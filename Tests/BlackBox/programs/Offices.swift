// Three stores of one kind in one process. Each has its own dependencies for its effects. Two
// stores prepare a dependency, and the first uses the default of a server.

import StoreCore
import StorePatterns
import StoreServer

/// The name of the clerk who answers.
enum ClerkKey: DependencyKey {
    static let live = "nobody in particular"
}

/// Asks the clerk for a name, and keeps it for the session that asked.
struct Office: EffectfulModule {
    struct State: ModuleState {
        var answers: [String] = []
    }

    enum Action: ModuleAction {
        case asked
        case shoutedAt
    }

    enum Internal: ModuleAction {
        case answered(name: String)
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .asked:
            .run { context in
                let name = try context.dependencies[ClerkKey.self]
                try await context.dispatch(Internal.answered(name: name))
            }
        case .shoutedAt: throw Refusal(reason: "Not like this.")
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .answered(let name): state.answers.append(name)
        }
        return .none
    }
}

struct AppState: RootState {
    var office = PerSession(Office.State())
    var sessions = Sessions.State()

    static let modules: Modules = [Office().at(\.office), Sessions().at(\.sessions)]
}

func office(_ clerk: String) -> Server<AppState> {
    Server(AppState.self).preparation { $0.set(ClerkKey.self, to: clerk) }
}

Server(AppState.self)
    .store(office("Ada"), named: "north")
    .store(office("Bob"), named: "south")
    .main()
