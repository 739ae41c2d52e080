// A store with a role that sees only the list. A shared safe, boxes, a diary of each session and a
// field are hidden. The hidden modules have secrets in their state, their refusals, the results and
// errors of their effects, and the names of their effects.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// The visible list.
struct Todos: KeepingModule {
    struct State: ModuleState {
        var items: [String] = []
        var echoes = 0
    }

    enum Action: ModuleAction {
        case added(text: String, authorID: String?)
        case cleared
        /// Changes nothing here: a reaction dispatches an action to the safe.
        case relayed(text: String)
        /// Starts kept work that takes `ms` milliseconds, also again after a restart.
        case planned(text: String, ms: Int)
        /// Has an effect that makes the safe fail.
        case broken
    }

    enum UI: ModuleAction { case tapped(authorID: String?) }
    enum Internal: ModuleAction { case finished(text: String) }

    enum Work: ModuleWork { case finishing(text: String, ms: Int) }

    struct Entry: Codable, Sendable { let text: String }

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("todos", "enter") { (entry: Entry, context) in
                try await context.dispatch(Internal.finished(text: entry.text))
            }
        ]
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .finishing(let text, let ms):
            try await context.sleep(for: .milliseconds(ms))
            try await context.dispatch(Internal.finished(text: text))
        }
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .added("", _): throw Refusal(reason: "An item has a text.", pointer: "/text")
        case .added(let text, _): state.items.append(text)
        case .cleared: state.items = []
        case .relayed: break
        case .planned(let text, let ms):
            return keep(.finishing(text: text, ms: ms), id: text)
        case .broken:
            return .run { try await $0.dispatch(Safe.Action.jammed) }
        }
        return .none
    }

    func reduce(_ state: inout State, ui action: UI) -> Effect<State> {
        state.items.append("tapped")
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .finished(let text): state.items.append(text)
        }
        return .none
    }
}

/// Adds an echo to an item, so that a presenter's record follows it.
struct TodosPresenter: Presenter {
    func stateDidUpdate(from old: Todos.State?, to new: Todos.State?, _ context: PresenterContext) {
        guard let old, let item = new?.items.last, item == "echo", old.items.last != "echo"
        else { return }
        context.dispatch(Todos.Internal.finished(text: "presented"))
    }
}

/// The result of a hidden effect.
struct Told: SideEffect {
    func sideEffect(_ context: EffectContext<Safe.State>) async throws -> [String] {
        try await context.state().content
    }
}

/// The hidden safe.
struct Safe: EffectfulModule {
    struct State: ModuleState {
        var content: [String] = []
        var opened = 0
    }

    enum Action: ModuleAction {
        case put(text: String)
        case opened
        case refused
        case jammed
        case waited(ms: Int)
    }

    enum UI: ModuleAction { case knocked }

    struct Nothing: Codable, Sendable {}

    static let dispatchables: [any Dispatchable.Type] = [Told.self]

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("safe", "look") { (_: Nothing, context) in
                throw Refusal(reason: "It has \(try await context.state().content).")
            }
        ]
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .put(let text): state.content.append(text)
        case .opened: state.opened += 1
        case .refused:
            throw Refusal(reason: "It has \(state.content).", pointer: "/safe\(state.content)")
        case .jammed:
            return .run { context in
                throw Refusal(reason: "It has \(try await context.state().content).")
            }
        case .waited(let ms):
            return .run(id: state.content.first ?? "empty") { context in
                try await context.sleep(for: .milliseconds(ms))
            }
        }
        return .none
    }

    func reduce(_ state: inout State, ui action: UI) -> Effect<State> {
        state.opened += 1
        return .none
    }
}

/// Hidden boxes, with several instances.
struct Boxes: StartableModule {
    struct State: ModuleState { var label: String }
    struct Start: Codable, Equatable, Sendable { let label: String }
    enum Action: ModuleAction { case labelled(text: String) }
    enum UI: ModuleAction { case shaken }

    struct Name: Codable, Sendable { let text: String }

    var useCases: [UseCaseMethod<State>] {
        [UseCaseMethod("boxes", "label") { (_: Name, _) in }]
    }

    func begin(_ start: Start) -> State { State(label: start.label) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .labelled(let text): state.label = text
        }
    }

    func reduce(_ state: inout State, ui action: UI) {}
}

/// A diary for each session.
struct Diary: Module {
    struct State: ModuleState { var lines: [String] = [] }
    enum Action: ModuleAction { case written(text: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .written(let text): state.lines.append(text)
        }
    }
}

/// Changes the list and the safe in one version.
struct Swept: StateUpdater {
    let text: String

    func updateState(_ state: inout Guarded) throws {
        guard text != "refuse" else { throw Refusal(reason: "There is \(state.safe.content).") }
        state.safe.content.append(text)
        state.todos.echoes += 1
    }
}

/// The content of the safe's screen.
struct SafeViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Safe.self]
    let content: [String]

    init?(state: Guarded) { content = state.safe.content }
}

struct ListViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Todos.self]
    let items: [String]

    init?(state: Guarded) { items = state.todos.items }
}

struct Guarded: RootState {
    var todos = Todos.State()
    var safe = Safe.State()
    var boxes = Instances<Boxes.State>()
    var diary = PerSession(Diary.State())
    var motto = "none"
    var effects = PendingEffects.State()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Todos().at(\.todos).presented(by: TodosPresenter()),
        Safe().at(\.safe),
        Boxes().at(\.boxes).lifecycle(.everybody),
        Diary().at(\.diary),
        .field("motto", \.motto),
        PendingEffects().at(\.effects),
        Sessions().at(\.sessions),
    ]
    static let dispatchables: Dispatchables = [Swept.self, Named.self]
    static let views: Views = [SafeViewModel.self, ListViewModel.self]
}

struct Named: StateUpdater {
    let text: String

    func updateState(_ state: inout Guarded) { state.motto = text }
}

struct Bell: Codable, Sendable { let text: String }

Server(Guarded.self)
    .reactions(
        .onDispatch(of: Todos.Action.self) { action, _, _ in
            guard case .relayed(let text) = action else { return nil }
            return Safe.Action.put(text: text)
        }
    )
    .reactions(.onNotification("bell", as: Bell.self) { Safe.Action.put(text: $0.text) })
    .main()
