import StoreCore

/// A module with instances, whose views may be open before the instances start.
struct Bin: StartableModule, EffectfulModule, VisibleModule {
    struct State: ModuleState {
        var text: String
        var count = 0
        var settled = ""
        var viewers = 0
    }

    struct Start: Codable, Equatable, Sendable {
        let note: String
        let text: String
    }

    enum Action: ModuleAction {
        /// An action without fields: all its records look alike in the journal.
        case put
        case texted(note: String, text: String)
        case shaken(note: String, seconds: Int)
        case stilled
    }

    enum UI: ModuleAction {
        case appeared, disappeared
    }

    enum Internal: ModuleAction {
        case settled(note: String)
    }

    static let name = "bins"
    static var dispatchables: [any Dispatchable.Type] { ShippedEdition.current.binActions }

    func visibilityDidChange(to visibility: ViewVisibility) -> UI? {
        visibility == .visible ? .appeared : .disappeared
    }

    func begin(_ start: Start) -> State { State(text: start.text) }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .put: state.count += 1
        case .texted(_, let text): state.text = text
        case .shaken(let note, let seconds):
            guard seconds > 0 else {
                throw Refusal(reason: "That is no time.", pointer: "/seconds")
            }
            state.count -= 1
            return .run(id: "shake") { context in
                try await Recorder.work(note) {
                    try await context.sleep(for: .seconds(seconds))
                    try await context.dispatch(Internal.settled(note: note + ">"))
                }
            }
        case .stilled: return .cancel(id: "shake")
        }
        return .none
    }

    func reduce(_ state: inout State, ui action: UI) -> Effect<State> {
        state.viewers += action == .appeared ? 1 : -1
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .settled(let note): state.settled = note
        }
        return .none
    }
}
