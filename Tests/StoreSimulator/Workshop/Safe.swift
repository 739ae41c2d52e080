import StoreCore
import StorePatterns

/// A module whose actions have a secret; the state would show it.
struct Safe: Module {
    struct State: ModuleState {
        var openings = 0
        var leak: String?
    }

    enum Action: ModuleAction, RedactedAction {
        static let secrets = ["code"]

        case opened(note: String, code: String?)
        case closed
    }

    static let dispatchables: [any Dispatchable.Type] = [Unlock.self]

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .opened(_, let code):
            state.openings += 1
            state.leak = code
        case .closed: state.leak = nil
        }
    }
}

/// The same action with a type of its own.
struct Unlock: StateUpdater, RedactedAction, Equatable {
    static let secrets = ["code"]

    let note: String
    let code: String?

    func updateState(_ state: inout Safe.State) {
        state.openings += 1
        state.leak = code
    }
}
