// A store in which the list's actions depend on the whole state. The root reducer, interceptors
// and an updater refuse with reasons from the safe, which a role does not see.

import StoreCore
import StorePatterns
import StoreServer

/// The visible list.
struct Todos: EffectfulModule {
    struct State: ModuleState { var items: [String] = [] }

    enum Action: ModuleAction {
        case added(text: String)
        /// Has an effect that adds an item.
        case asked(text: String)
    }

    enum Internal: ModuleAction { case finished(text: String) }

    struct Entry: Codable, Sendable { let text: String }

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("todos", "enter") { (entry: Entry, context) in
                try await context.dispatch(Internal.finished(text: entry.text))
            }
        ]
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .added(""): throw Refusal(reason: "An item has a text.", pointer: "/text")
        case .added(let text): state.items.append(text)
        case .asked(let text):
            return .run { try await $0.dispatch(Internal.finished(text: text)) }
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .finished(let text): state.items.append(text)
        }
        return .none
    }
}

/// The hidden safe.
struct Safe: Module {
    struct State: ModuleState { var content: [String] = [] }

    enum Action: ModuleAction {
        case put(text: String)
        case refused
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .put(let text): state.content.append(text)
        case .refused: throw Refusal(reason: "It has \(state.content).", pointer: "/safe")
        }
    }
}

struct Overseen: RootState {
    var todos = Todos.State()
    var safe = Safe.State()

    static let modules: Modules = [Todos().at(\.todos), Safe().at(\.safe)]
    static let reducer: RootReducer<Overseen>? = { state, action in
        let isWatched =
            switch action {
            case Todos.Action.added("watched"), Todos.Internal.finished("watched"): true
            default: false
            }
        if isWatched {
            throw Refusal(reason: "There is \(state.safe.content).", pointer: "/text")
        }
        if case Todos.Action.added("forbidden") = action {
            throw Refusal.forbidden("There is \(state.safe.content).")
        }
    }
}

Server(Overseen.self)
    .interceptor("guard") { state, action, envelope in
        guard case Todos.Action.added(let text) = action else { return .proceed }
        return switch text {
        case "blocked": throw Refusal(reason: "There is \(state.safe.content).", pointer: "/text")
        case "followed": .follow(with: Safe.Action.refused)
        case "replaced": .replace(with: Safe.Action.refused)
        case "signed":
            throw Refusal(
                reason: "It is \(envelope.principal?.name ?? "-") with "
                    + "\(envelope.principal?.role ?? "-")."
            )
        default: .proceed
        }
    }
    .main()
