import StoreCore
import StorePatterns

/// A module that is started and stopped, reads another module, and has a view.
struct Plate: StartableModule, SharingModule {
    struct State: ModuleState {
        var title: String
        var taps = 0
        var heat = 0.0
        var label = Shared<String>()
    }

    struct Start: Codable, Equatable, Sendable {
        let note: String
        let title: String
        let seconds: Int
    }

    enum Action: ModuleAction {
        case renamed(note: String, title: String)
        /// An action that copies the shared value of another module.
        case labelled(note: String)
    }

    enum UI: ModuleAction {
        case tapped
        case turned(note: String, heat: Double)
    }

    enum Internal: ModuleAction {
        case warmed(note: String)
    }

    func share(_ state: State) -> String { state.title }

    func begin(_ start: Start) throws -> State {
        guard !start.title.isEmpty else {
            throw Refusal(reason: "A plate needs a title.", pointer: "/title")
        }
        return State(title: start.title)
    }

    /// Keeps the taps of the plate before.
    func begin(_ start: Start, over old: State) throws -> State {
        var new = try begin(start)
        new.taps = old.taps
        return new
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .renamed(_, let title): state.title = title
        case .labelled: state.title = state.label.value ?? ""
        }
    }

    func reduce(_ state: inout State, ui action: UI) {
        switch action {
        case .tapped: state.taps += 1
        case .turned(_, let heat): state.heat = heat
        }
    }

    func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .warmed: state.heat += 1
        }
    }

    func effect(afterStart start: Start, in state: State) -> Effect<State> {
        guard start.seconds > 0 else { return .none }
        return .run { context in
            try await Recorder.work(start.note) {
                try await context.sleep(for: .seconds(start.seconds))
                try await context.dispatch(Internal.warmed(note: start.note + ">"))
            }
        }
    }
}

struct PlatePresenter: ViewPresenter {
    func stateDidUpdate(from old: Plate.State?, to new: Plate.State?, _ context: PresenterContext) {
        let count = Recorder.note("plate", old, new)
        if old == nil, new != nil { context.navigation.present() }
        if old != nil, new == nil { context.withdraw() }
        if let old, let new, old.taps != new.taps {
            context.dispatch(Desk.Action.asked(note: "#plate\(count)"))
        }
    }
}

struct SessionsPresenter: Presenter {
    func stateDidUpdate(
        from old: Sessions.State?,
        to new: Sessions.State?,
        _ context: PresenterContext
    ) {
        _ = Recorder.note("sessions", old, new)
    }
}
