import StoreCore
import StorePatterns

/// Collects the notes of the other presenters and reactions.
struct Desk: VisibleModule, ContextualModule {
    struct State: ModuleState {
        var told: [String] = []
        var count = 0
        var title = Shared<String>()
        var viewers = 0
        /// The context of the last note.
        var noted = ""
    }

    enum Action: ModuleAction {
        case asked(note: String)
    }

    enum UI: ModuleAction {
        case appeared, disappeared
    }

    enum Internal: ModuleAction {
        case told(note: String)
    }

    func visibilityDidChange(to visibility: ViewVisibility) -> UI? {
        switch visibility {
        case .visible: .appeared
        case .hidden: .disappeared
        }
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws {
        state.noted = context.seal
        switch action {
        case .asked(let note): try state.take(note)
        }
    }

    func reduce(_ state: inout State, ui action: UI, in context: ReducerContext) {
        switch action {
        case .appeared: state.viewers += 1
        case .disappeared: state.viewers -= 1
        }
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext) throws
    {
        state.noted = context.seal
        switch action {
        case .told(let note): try state.take(note)
        }
    }
}

extension Desk.State {
    fileprivate mutating func take(_ note: String) throws {
        count += 1
        told.append(note)
        if told.count > 4 { told.removeFirst() }
        // This refuses some actions that the program itself dispatches.
        let sum = note.utf8.reduce(0) { $0 + Int($1) }
        if sum % 13 == 0 { throw Refusal(reason: "The desk does not take this.") }
    }
}

struct DeskPresenter: Presenter {
    func stateDidUpdate(from old: Desk.State?, to new: Desk.State?, _ context: PresenterContext) {
        _ = Recorder.note("desk", old, new)
    }
}
