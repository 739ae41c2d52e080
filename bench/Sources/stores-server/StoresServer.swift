// A process with STORES stores, including the store at /. Each store is made of two modules and
// sessions. The shipped store is made of seven modules.

import Foundation
import StoreCore
import StorePatterns
import StoreServer

struct Counter: Module {
    struct State: ModuleState { var count = 0 }
    enum Action: ModuleAction { case increased }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}

struct Notes: Module {
    struct State: ModuleState { var lines: [String] = [] }
    enum Action: ModuleAction { case noted(line: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .noted(let line): state.lines.append(line)
        }
    }
}

struct AppState: RootState {
    var counter = Counter.State()
    var notes = Notes.State()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Counter().at(\.counter), Notes().at(\.notes), Sessions().at(\.sessions),
    ]
}

@main
enum StoresServer {
    static func main() {
        let count = Int(ProcessInfo.processInfo.environment["STORES"] ?? "") ?? 1
        var server = Server(AppState.self)
        for number in 1..<max(1, count) {
            server = server.store(Server(AppState.self), named: "store-\(number)")
        }
        server.main()
    }
}
