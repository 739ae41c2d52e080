import StoreCore
import StorePatterns

/// An action of the whole state: it changes shared slices, and those of the session that it is of.
struct Tidied: StateUpdater {
    enum How: String, Codable, Sendable {
        /// Puts a text up for all, and blanks what the session has drafted.
        case posted
        /// Ends what can be ended.
        case cleared
        /// Writes to a session that there never was.
        case strayed
        /// Is taken back after it has changed all of it.
        case refused
    }

    /// What a session's tint begins with.
    static let grey = "grey"

    let note: String
    let how: How
    let text: String
    /// An instance's id.
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

    /// What of the whole it looks at.
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
