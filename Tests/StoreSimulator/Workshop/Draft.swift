import StoreCore
import StorePatterns

/// A slice that each session always has, with a shared value of the shelf.
struct Draft: SharingModule, EffectfulModule {
    struct State: ModuleState {
        /// The first text of a session's draft. The text is so long that each copy has its own
        /// memory.
        static let blank = "nothing is written here yet"

        var text = blank
        var saves = 0
        var saved = ""
        var label = Shared<String>()
    }

    enum Action: ModuleAction {
        case typed(note: String, text: String)
        /// An action with a long effect, which a new effect replaces.
        case saved(note: String, seconds: Int)
        case discarded
        case noted(note: String)
        /// An action that is refused after it has changed the slice.
        case refused(note: String)
    }

    enum Internal: ModuleAction {
        case settled(note: String)
    }

    func share(_ state: State) -> String { state.text }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .typed(_, let text):
            state.text = text
            return .none
        case .saved(let note, let seconds):
            state.saves += 1
            return .run(id: "save", cancelInFlight: true) { context in
                try await Recorder.work(note) {
                    if seconds > 0 { try await context.sleep(for: .seconds(seconds)) }
                    try await context.dispatch(Internal.settled(note: note + ">"))
                }
            }
        case .discarded:
            state.text = State.blank
            return .cancel(id: "save")
        case .noted(let note):
            state.saved = note
            return .none
        case .refused(let note):
            state.text = note
            throw Refusal(reason: "The draft says no.", pointer: "/note")
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .settled(let note): state.saved = note
        }
        return .none
    }
}

struct DraftPresenter: Presenter {
    func stateDidUpdate(from old: Draft.State?, to new: Draft.State?, _ context: PresenterContext) {
        let count = Recorder.note("draft", context, old, new)
        guard let old, let new, old.saves != new.saves else { return }
        context.dispatch(Desk.Action.asked(note: "#draft\(count)"))
    }
}
