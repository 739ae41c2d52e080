import StoreCore
import StorePatterns

/// A room with members. Only its readers read it.
struct Den: ContextualModule, ContextualStartableModule, RestrictedModule {
    static let membersMax = 4
    static let dispatchables: [any Dispatchable.Type] = [Peeked.self]

    struct State: ModuleState {
        var title: String
        var members: [String]
        var role = ""
        var isOpen = false
        var notes: [String] = []
        var cards: Table<String, String> = [:]
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
        var isOpen: Bool
    }

    enum Action: ModuleAction {
        case noted(text: String)
        case titled(title: String)
        case invited(member: String)
        case removed(member: String)
        /// Makes a role a reader; no role, if it is empty.
        case lent(role: String)
        case opened(isOpen: Bool)
        /// Adds, changes or removes a row.
        case carded(id: String, text: String?)
        /// Sets a timer for a title.
        case planned(text: String, seconds: Int)
        /// An action with an effect, which adds a row after a while.
        case postponed(note: String, text: String, seconds: Int)
        /// An action that changes nothing.
        case looked(text: String)
    }

    enum Internal: ModuleAction {
        case planRan(text: String)
        case arrived(note: String, text: String)
    }

    func readers(of den: State) -> Readers {
        let members = Readers.principals(den.members)
        if den.isOpen { return members + .all }
        return den.role.isEmpty ? members : members + .roles([den.role])
    }

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        State(
            title: start.title,
            members: context.principal.map { [$0.name] } ?? [],
            isOpen: start.isOpen
        )
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        switch action {
        case .noted(let text):
            if state.notes.count == 3 { state.notes.removeFirst() }
            state.notes.append(text)
        case .titled(let title): state.title = title
        case .invited(let member):
            guard state.members.count < Self.membersMax else {
                throw Refusal(reason: "The den is full.")
            }
            if !state.members.contains(member) { state.members.append(member) }
        case .removed(let member): state.members.removeAll { $0 == member }
        case .lent(let role): state.role = role
        case .opened(let isOpen): state.isOpen = isOpen
        case .carded(let id, let text): state.cards[id] = text
        case .planned(let text, let seconds):
            return .after(.seconds(seconds), id: "plan", Internal.planRan(text: text))
        case .postponed(let note, let text, let seconds):
            return .run(id: "postponed") { context in
                try await Recorder.work(note) {
                    try await context.sleep(for: .seconds(seconds))
                    try await context.dispatch(Internal.arrived(note: note + ">", text: text))
                }
            }
        case .looked: break
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .planRan(let text): state.title = text
        case .arrived(_, let text): state.cards["late"] = text
        }
        return .none
    }
}

/// Returns the den as it is after a while, or fails with the title of that time.
struct Peeked: SideEffect, Equatable {
    let note: String
    let seconds: Int
    let isRefused: Bool

    func sideEffect(_ context: EffectContext<Den.State>) async throws -> Den.State {
        var den: Den.State?
        try await Recorder.work(note) {
            try await context.sleep(for: .seconds(seconds))
            den = try await context.state()
        }
        guard let den, !isRefused else { throw Refusal(reason: den?.title ?? "") }
        return den
    }
}

/// Sees all dens, and counts their changed titles.
struct DenPresenter: Presenter {
    func stateDidUpdate(from old: Den.State?, to new: Den.State?, _ context: PresenterContext) {
        _ = Recorder.note("den", context, old, new)
        guard let old, let new, Bytewise(old.title) != Bytewise(new.title) else { return }
        context.dispatch(Tally.Action.counted(by: 1))
    }
}
