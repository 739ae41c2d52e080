import StoreCore
import StorePatterns

/// A module with instances for each session, which read the session's draft. Its reducers get a
/// context.
struct Pin: StartableModule, ContextualModule {
    struct State: ModuleState {
        var text: String
        var turns = 0
        /// The context of the last turn.
        var turned = ""
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

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) {
        switch action {
        case .turned:
            state.turns += 1
            state.turned = context.seal
        case .texted(_, let text): state.text = text
        case .filled: state.text = state.draft.value ?? ""
        }
    }

    func reduce(_ state: inout State, ui action: UI, in context: ReducerContext) {
        switch action {
        case .pinched:
            state.turns += 1
            state.turned = context.seal
        }
    }
}

extension ReducerContext {
    /// The values of the context that the naive model computes, too. The session is a sum, because
    /// no slice may keep the name of a session that has ended.
    var seal: String {
        let sum = session.utf8.reduce(0) { ($0 * 31 + Int($1)) % 65_521 }
        return "\(version) \(time) \(sum) \(instance ?? "-") \(principal?.description ?? "-")"
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
