import DefaultStore
import StoreCore
import StorePatterns
import StoreServer

@testable import DefaultCounterModule
@testable import DefaultHomeModule
@testable import DefaultLoginModule
@testable import DefaultMovieCardModule
@testable import DefaultTodosModule
@testable import DefaultUserModule

/// The shipped store.
enum ShopProgram: Program {
    private enum Place {
        static let home = 2, card = 3, login = 4
    }

    static func server(_ recorder: Recorder, isIntercepted: Bool) -> Server<AppState> {
        Server(AppState.self, actions: [ScreenShown.self])
    }

    static func dependencies(_ clock: ManualClock) -> Dependencies {
        .controlled(by: clock, seed: 1).setting(UserRepositoryKey.self, to: UserRepositoryKey.live)
    }

    static func reduce(
        _ root: inout AppState,
        _ action: any Action,
        for instance: String?,
        of session: String,
        as principal: ActionPrincipal?,
        at version: UInt64,
        _ time: Int64
    ) throws {
        switch action {
        case let action as Counter.Action: try CounterModule().reduce(&root.counter, action)
        case let action as Todos.Action: try TodosModule().reduce(&root.todos, action)
        case is ModuleStart<Home>: root.home[session] = HomeModule().begin(NoFields())
        case is ModuleStop<Home>:
            _ = try there(root.home[session])
            root.home[session] = nil
        case let action as HomeModule.UI:
            var home = try there(root.home[session])
            try HomeModule().reduce(&home, ui: action)
            root.home[session] = home
        case let action as HomeModule.Internal:
            var home = try there(root.home[session])
            HomeModule().reduce(&home, internal: action)
            root.home[session] = home
        case let action as ModuleStart<MovieCard>:
            root.movieCard[session] = try MovieCardModule().begin(action.start)
        case is ModuleStop<MovieCard>:
            _ = try there(root.movieCard[session])
            root.movieCard[session] = nil
        case let action as MovieCard.Action:
            var card = try there(root.movieCard[session])
            MovieCardModule().reduce(&card, action)
            root.movieCard[session] = card
        case let action as Login.Action:
            root.login.change(session) { _ = LoginModule().reduce(&$0, action) }
        case let action as LoginModule.Internal:
            root.login.change(session) { _ = LoginModule().reduce(&$0, internal: action) }
        case let action as ModuleStart<User>: root.user[session] = UserModule().begin(action.start)
        case is ModuleStop<User>:
            _ = try there(root.user[session])
            root.user[session] = nil
        case let action as User.Action:
            var user = try there(root.user[session])
            try UserModule().reduce(&user, action)
            root.user[session] = user
        case let action as Sessions.Internal:
            _ = Sessions().reduce(&root.sessions, internal: action)
        case is ScreenShown, is ClientRequest: break
        default: throw Refusal(reason: "There is no such action.")
        }
    }

    static func owner(of action: any Action) -> Owner {
        switch action {
        case is Counter.Action, is Todos.Action: .everybody
        case is Sessions.Internal, is ScreenShown: .nobody
        default: .session
        }
    }

    static func end(_ session: String, _ root: inout AppState) {
        root.home.end(session)
        root.movieCard.end(session)
        root.login.end(session)
        root.user.end(session)
    }

    private static func there<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Refusal(reason: "It is not there.") }
        return value
    }

    static func views(saying action: any Action, _ instance: String?) -> [String] {
        action is HomeModule.UI ? ["home"] : []
    }

    static func explains(_ record: Record, by cause: Record?) -> Property? {
        switch record.type {
        case "login/loading", "login/succeeded", "login/failed":
            cause?.type == "usecases/login/login" ? nil : .cause
        case "user/start": cause?.type == "login/succeeded" ? nil : .cause
        default: .consequence
        }
    }

    // Consequences

    static func follows(_ applied: Applied<AppState>, _ calls: inout Calls) {
        if applied.changed(Place.home), applied.calls("HomePresenter") {
            for (session, old, new) in applied.changedSessions(\.home) {
                home(old, new, session, &calls)
            }
        }
        again(applied, ModuleStart<Home>.self, "home", \.home) { home(nil, $0, $1, &calls) }
        if applied.changed(Place.card), applied.calls("presented") {
            for (session, old, new) in applied.changedSessions(\.movieCard) {
                card(old, new, session, &calls)
            }
        }
        again(applied, ModuleStart<MovieCard>.self, "movieCard", \.movieCard) {
            card(nil, $0, $1, &calls)
        }
        guard applied.changed(Place.login), applied.calls("LoginPresenter") else { return }
        for (session, old, new) in applied.changedSessions(\.login)
        where old.progress != .idle && new.progress == .idle {
            let audience = Audience(.allExcludingEmitter, emitter: "LoginPresenter")
            calls.dispatch(User.stop, for: audience, from: session)
        }
    }

    /// Predicts the call for a session that starts a started module, and does not show it. The
    /// module is presented like a new module.
    private static func again<A: Action, State>(
        _ applied: Applied<AppState>,
        _ start: A.Type,
        _ view: String,
        _ slices: (AppState) -> PerSession<State?>,
        _ begins: (State?, String) -> Void
    ) {
        let session = applied.author
        guard applied.action is A, slices(applied.before)[session] != nil,
            applied.before.sessions[session]?.shows(view) != true
        else { return }
        begins(slices(applied.after)[session], session)
    }

    private static func home(
        _ old: Home.State?,
        _ new: Home.State?,
        _ session: String,
        _ calls: inout Calls,
        isShown: Bool = false
    ) {
        route("home", old != nil, new != nil, session, &calls, isShown)
        guard let title = new?.selectedMovie, title != old?.selectedMovie else { return }
        let audience = Audience(.allExcludingEmitter, emitter: "HomePresenter")
        calls.dispatch(MovieCard.start(.init(title: title)), for: audience, from: session)
        calls.dispatch(HomeModule.Internal.cardShown, for: audience, from: session)
    }

    private static func card(
        _ old: MovieCard.State?,
        _ new: MovieCard.State?,
        _ session: String,
        _ calls: inout Calls,
        isShown: Bool = false
    ) {
        route("movieCard", old != nil, new != nil, session, &calls, isShown)
    }

    private static func route(
        _ view: String,
        _ wasThere: Bool,
        _ isThere: Bool,
        _ session: String,
        _ calls: inout Calls,
        _ isShown: Bool
    ) {
        if !wasThere, isThere, !isShown {
            let presented = Sessions.Internal.presented(
                view: view,
                style: .push,
                sessions: [session]
            )
            calls.dispatch(presented, from: session)
        }
        if wasThere, !isThere {
            let withdrawn = Sessions.Internal.withdrawn(view: view, sessions: [session])
            calls.dispatch(withdrawn, from: session)
        }
    }

    static func begins(_ root: AppState, _ calls: inout Calls) {
        for session in root.home.known {
            let isShown = root.sessions[session]?.shows("home") == true
            home(nil, root.home[session], session, &calls, isShown: isShown)
        }
        for session in root.movieCard.known {
            let isShown = root.sessions[session]?.shows("movieCard") == true
            card(nil, root.movieCard[session], session, &calls, isShown: isShown)
        }
    }

    static func effects(_ applied: Applied<AppState>, _ works: inout Works) {}
}
