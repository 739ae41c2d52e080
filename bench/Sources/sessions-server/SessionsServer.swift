import StoreCore
import StorePatterns
import StoreServer

/// A server in which each session has a slice of about a hundred bytes.
@main
struct SessionsServer {
    static func main() { Server(BenchState.self).main() }
}

struct Small: Module {
    struct State: ModuleState {
        var count = 0
        var note = "A slice of about a hundred bytes, which is what most slices of real stores are."
    }

    enum Action: ModuleAction {
        case bumped
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .bumped: state.count += 1
        }
    }
}

struct BenchState: RootState {
    var small = PerSession(Small.State())
    var sessions = Sessions.State()

    static let modules: Modules = [Small().at(\.small), Sessions().at(\.sessions)]
}
