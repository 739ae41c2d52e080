import StoreCore
import StorePatterns

/// A module with instances for each session, which read the session's draft.
struct Pin: StartableModule {
    struct State: ModuleState {
        var text: String
        var turns = 0
        var draft = Shared<String>()
    }

    struct Start: Codable, Equatable, Sendable {
        let note: String
        let text: String
    }

    enum Action: ModuleAction {
        case turned(note: String)
        case texted(note: String, text: String)
        /// An action that copies the shared value of the draft.
        case filled(note: String)
    }

    enum UI: ModuleAction {
        case pinched(note: String)
    }

    static let name = "pins"

    func begin(_ start: Start) -> State { State(text: start.text) }

    func begin(_ start: Start, over old: State) -> State { begin(start) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .turned: state.turns += 1
        case .texted(_, let text): state.text = text
        case .filled: state.text = state.draft.value ?? ""
        }
    }

    func reduce(_ state: inout State, ui action: UI) {
        switch action {
        case .pinched: state.turns += 1
        }
    }
}

struct PinPresenter: ViewPresenter {
    func stateDidUpdate(from old: Pin.State?, to new: Pin.State?, _ context: PresenterContext) {
        let count = Recorder.note("pin", context, old, new)
        if old == nil, new != nil { context.modal.present() }
        if old != nil, new == nil {
            context.withdraw()
            // If the session has ended, this action comes too late.
            context.dispatch(Draft.Action.noted(note: "#unpinned\(count)"))
        }
        guard let old, let new, old.turns != new.turns else { return }
        context.dispatch(Draft.Action.noted(note: "#pin\(count)"))
        // This action is another module's own, so it is refused.
        context.dispatch(Draft.Internal.settled(note: "#foreign\(count)"))
    }
}
