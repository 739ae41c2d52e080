import StoreCore
import StorePatterns

/// A slice that is always there, with a value that other modules read.
struct Shelf: SharingModule {
    struct State: ModuleState {
        var label = ""
        var grams = 0.0
        var tally: Table<String, Int> = [:]
        var stamp = ""
    }

    enum Action: ModuleAction {
        case labelled(note: String, text: String)
        case weighed(note: String, grams: Double)
        case counted(note: String, name: String)
        case stamped(note: String)
        /// An action that is refused after it has changed the slice.
        case refused(note: String)
        /// An action whose reducer throws an error that is no refusal.
        case broken(note: String)
        /// An action that interceptors block, replace, or let other actions follow.
        case intercepted(note: String, how: String)
        /// An action with a second spelling, which is the name of no action.
        case sauté(note: String)
        /// An action with keys that `==` distinguishes.
        case filed(note: String, tally: [String: Int])
        case reset
    }

    /// An error that no reducer should throw; no client may see its description.
    struct Broken: Error, CustomStringConvertible {
        var description: String { Words.secret + "broken" }
    }

    func share(_ state: State) -> String { state.label }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .labelled(_, let text): state.label = text
        case .weighed(_, let grams): state.grams = grams
        case .counted(_, let name):
            state.tally[name, default: 0] += 1
            if state.tally.count > 6 { state.tally = [:] }
        case .stamped(let note): state.stamp = note
        case .refused(let note):
            state.stamp = note
            throw Refusal(reason: "The shelf says no.", pointer: "/note")
        case .broken(let note):
            state.stamp = note
            throw Broken()
        case .intercepted(let note, _): state.stamp = note
        case .sauté(let note): state.stamp = note
        case .filed(_, let tally): state.tally = Table(tally.map { ($0.key, $0.value) })
        case .reset: state = State()
        }
    }
}

/// Dispatches after some changes. The count of its calls identifies its actions.
struct ShelfPresenter: Presenter {
    func stateDidUpdate(from old: Shelf.State?, to new: Shelf.State?, _ context: PresenterContext) {
        let count = Recorder.note("shelf", old, new)
        guard old != nil, old?.grams.bitPattern != new?.grams.bitPattern else { return }
        context.dispatch(Desk.Action.asked(note: "#shelf\(count)"), recipients: .all)
    }
}

/// Changes its own slice, and is not called for its own changes.
struct ShelfWatcher: Presenter {
    func stateDidUpdate(from old: Shelf.State?, to new: Shelf.State?, _ context: PresenterContext) {
        let count = Recorder.note("watcher", old, new)
        guard let old, let new, Bytewise(old.label) != Bytewise(new.label), new.label != "watched"
        else { return }
        context.dispatch(Shelf.Action.stamped(note: "#watcher\(count)"))
    }
}
