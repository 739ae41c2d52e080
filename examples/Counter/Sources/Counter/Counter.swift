import StoreCore
import StoreServer

struct Counter: Module {
    struct State: ModuleState {
        var count = 0
    }

    enum Action: ModuleAction {
        case increased
        case decreased
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .increased: state.count += 1
        case .decreased: state.count -= 1
        }
    }
}

struct AppState: RootState {
    var counter = Counter.State()

    static let modules: Modules = [Counter().at(\.counter)]
}

@main
struct App {
    static func main() { Server(AppState.self).main() }
}
