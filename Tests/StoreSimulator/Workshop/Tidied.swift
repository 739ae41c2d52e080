import StoreCore
import StorePatterns

/// An action of the whole state: it changes shared slices, and the slices of its own session.
struct Tidied: StateUpdater {
    enum How: String, Codable, Sendable {
        /// Sets a text for all, and clears the session's draft.
        case posted
        /// Ends all slices that can end.
        case cleared
        /// Writes to a session that never began.
        case strayed
        /// Is refused after it has changed all its slices.
        case refused
    }

    /// The first tint of a session.
    static let grey = "grey"

    let note: String
    let how: How
    let text: String
    /// The id of an instance.
    let bin: String

    func updateState(_ state: inout Workshop) throws {
        switch how {
        case .posted: post(&state)
        case .cleared: clear(&state)
        case .strayed: state.tint["a stranger"] = text
        case .refused:
            post(&state)
            clear(&state)
            throw Refusal(reason: "The workshop stays as it is.", pointer: "/note")
        }
    }

    private func post(_ state: inout Workshop) {
        state.sign = text
        state.shelf.label = text
        state.tint.value = note
        state.draft.value.text = Draft.State.blank
    }

    private func clear(_ state: inout Workshop) {
        state.plate = nil
        state.bins[bin] = nil
        state.pins.value = Instances()
        state.tint.value = Self.grey
    }
}

/// A slice that starts with the store.
struct Bench: StartableModule {
    struct State: ModuleState { let wood: String }
    struct Start: Codable, Equatable, Sendable { let wood: String }

    func begin(_ start: Start) -> State { State(wood: start.wood) }
}

/// A slice that starts with each session.
struct Stool: StartableModule {
    struct State: ModuleState { var legs = 3 }

    static let name = "stools"

    func begin(_ start: NoFields) -> State { State() }
}

struct WorkshopPresenter: Presenter {
    func stateDidUpdate(from old: Workshop?, to new: Workshop?, _ context: PresenterContext) {
        let count = Recorder.note(
            "workshop@" + (context.session ?? "") + "/",
            old.map { Seen($0) },
            new.map { Seen($0) }
        )
        guard let old, let new, Bytewise(old.sign) != Bytewise(new.sign) else { return }
        context.dispatch(Desk.Internal.told(note: "#sign\(count)"))
    }

    /// The parts of the whole state that the presenter reads.
    struct Seen: ModuleState {
        let sign: String
        let tint: String
        let draft: String

        init(_ root: Workshop) {
            (sign, tint, draft) = (root.sign, root.tint.value, root.draft.value.text)
        }

        init(_ root: Workshop, as session: String) {
            (sign, tint, draft) = (root.sign, root.tint[session], root.draft[session].text)
        }
    }
}
