import StoreCore
import StoreServer

struct Guestbook: Module {
    struct State: ModuleState {
        var entries: [String] = []
    }

    enum Action: ModuleAction {
        case signed(name: String)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .signed(let name):
            guard !name.isEmpty else {
                throw Refusal(reason: "A guest has a name.", pointer: "/name")
            }
            state.entries.append(name)
        }
    }
}

struct AppState: RootState {
    var guestbook = Guestbook.State()
    static let modules: Modules = [Guestbook().at(\.guestbook)]
}

@main
struct App {
    static func main() { Server(AppState.self, name: "guestbook").main() }
}
