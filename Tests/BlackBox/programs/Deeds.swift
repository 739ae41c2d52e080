// A register of deeds: reducers that get a context, and keep all of it in the state.

import StoreCore
import StorePatterns
import StoreServer

/// The context of an action, as the state keeps it.
struct Stamp: Codable, Equatable, Sendable {
    let by: String
    let version: UInt64
    let time: Int64
    let session: String
    var principal: String?
    var instance: String?
    var cause: UInt64?

    init(_ by: String, _ context: ReducerContext) {
        self.by = by
        version = context.version
        time = context.time
        session = context.session
        principal = context.principal?.description
        instance = context.instance
        cause = context.cause
    }
}

/// A deed belongs to the principal that starts it, and only the owner signs it.
struct Deed: ContextualModule, ContextualStartableModule {
    struct State: ModuleState {
        var owner: String
        var stamps: [Stamp]
    }

    enum Action: ModuleAction {
        case signed
        case handedOver(to: String)
    }

    enum Internal: ModuleAction {
        case recorded(by: String)
    }

    struct Start: Codable, Equatable, Sendable {
        var force: Bool?
    }

    static let name = "deeds"

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        guard let owner = context.principal?.name else { throw Refusal.forbidden("Sign in.") }
        return State(owner: owner, stamps: [Stamp("begin", context)])
    }

    func begin(_ start: Start, over old: State, in context: ReducerContext) throws -> State {
        guard start.force == true else { throw Refusal(reason: "It is \(old.owner)'s.") }
        return State(owner: old.owner, stamps: old.stamps + [Stamp("begin over", context)])
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        guard context.principal?.name == state.owner else {
            throw Refusal.forbidden("Only \(state.owner) may do this.")
        }
        state.stamps.append(Stamp("action", context))
        switch action {
        case .handedOver(let owner): state.owner = owner
        case .signed:
            return .run { context in
                let worker = "\(context.principal?.description ?? "-") \(context.session) "
                try await context.dispatch(
                    Internal.recorded(by: worker + (context.instance ?? "-"))
                )
            }
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .recorded(let worker): state.stamps.append(Stamp(worker, context))
        }
        return .none
    }
}

/// Notes of each session, by a reducer that returns nothing.
struct Notes: ContextualModule {
    struct State: ModuleState {
        var stamps: [Stamp] = []
    }

    enum Action: ModuleAction {
        case written
    }

    enum UI: ModuleAction {
        case tapped
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) {
        state.stamps.append(Stamp("action", context))
    }

    func reduce(_ state: inout State, ui action: UI, in context: ReducerContext) {
        state.stamps.append(Stamp("ui", context))
    }
}

/// The book of the register, which is always there.
struct Book: ContextualModule {
    struct State: ModuleState {
        var stamps: [Stamp] = []
        var last: Stamp?
        var presented: [String] = []
    }

    enum Action: ModuleAction {
        case opened
    }

    enum Internal: ModuleAction {
        case presented(to: String)
    }

    static let dispatchables: [any Dispatchable.Type] = [Stamped.self]

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) {
        state.stamps.append(Stamp("action", context))
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext) {
        switch action {
        case .presented(let principal): state.presented.append(principal)
        }
    }
}

struct Stamped: ContextualStateUpdater {
    func updateState(_ state: inout Book.State, in context: ReducerContext) {
        state.stamps.append(Stamp("updater", context))
    }
}

struct Closed: ContextualStateUpdater {
    func updateState(_ state: inout AppState, in context: ReducerContext) {
        state.book.stamps.append(Stamp("root updater", context))
    }
}

struct BookPresenter: Presenter {
    func stateDidUpdate(from old: Book.State?, to new: Book.State?, _ context: PresenterContext) {
        guard let old, let new, old.stamps.count < new.stamps.count else { return }
        context.dispatch(
            Book.Internal.presented(to: context.principal?.description ?? "nobody")
        )
    }
}

/// The number of deeds that the reader of the view owns.
struct MineViewModel: ContextualViewModel {
    struct Parameters: Codable, Sendable { var greeting: String? }

    static let name = "mine"
    static let reads: [any Module.Type] = [Deed.self]
    let text: String
    let owned: Int
    let session: Int

    init?(state: AppState, parameters: Parameters, in context: ViewContext) {
        guard let reader = context.principal else {
            // A client without a credential sees nothing, except in a session of its own.
            guard context.session != "shared" else { return nil }
            (text, owned, session) = ("A visitor", 0, context.session.count)
            return
        }
        text = "\(parameters.greeting ?? "Hello"), \(reader.role ?? "-") \(reader.name)"
        owned = state.deeds.ids.filter { state.deeds[$0]?.owner == reader.name }.count
        session = context.session.count
    }
}

struct AppState: RootState {
    var sessions = Sessions.State()
    var deeds = Instances<Deed.State>()
    var notes = PerSession(Notes.State())
    var book = Book.State()

    static let modules: Modules = [
        Sessions().at(\.sessions),
        Deed().at(\.deeds).lifecycle(.everybody),
        Notes().at(\.notes),
        Book().at(\.book).presented(by: BookPresenter()),
    ]
    static let dispatchables: Dispatchables = [Closed.self]
    static let views: Views = [MineViewModel.self]
    static let contextualReducer: ContextualRootReducer<AppState>? = { state, action, context in
        state.book.last = Stamp("root", context)
    }
}

Server(AppState.self)
    .main()
