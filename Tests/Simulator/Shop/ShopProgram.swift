import ControlledWorld
import Domain
import StoreCore
import StorePatterns
import StoreServer
import Wire

/// The store that ships.
enum ShopProgram: Program {
    private enum Place {
        static let home = 2, card = 3, login = 4
    }

    static func server(_ recorder: Recorder, isIntercepted: Bool) -> StoreServer<AppState> {
        StoreServer(AppState.self, actions: [ScreenShown.self])
    }

    static func dependencies(_ clock: ManualClock) -> Dependencies {
        .controlled(by: clock, seed: 1).setting(UserRepositoryKey.self, to: UserRepositoryKey.live)
    }

    static func reduce(
        _ root: inout AppState,
        _ action: any Action,
        for instance: String?,
        at version: UInt64
    ) throws {
        switch action {
        case let action as any StateUpdater<Counter.State>: try action.updateState(&root.counter)
        case let action as any StateUpdater<Todos.State>: try action.updateState(&root.todos)
        case is ModuleStart<Home>: root.home = Home().begin(NoFields())
        case is ModuleStop<Home>:
            _ = try there(root.home)
            root.home = nil
        case let action as Home.UI:
            var home = try there(root.home)
            try Home().reduce(&home, ui: action)
            root.home = home
        case let action as Home.Internal:
            var home = try there(root.home)
            Home().reduce(&home, internal: action)
            root.home = home
        case let action as ModuleStart<MovieCard>:
            root.movieCard = try MovieCard().begin(action.start)
        case is ModuleStop<MovieCard>:
            _ = try there(root.movieCard)
            root.movieCard = nil
        case let action as MovieCard.Action:
            var card = try there(root.movieCard)
            MovieCard().reduce(&card, action)
            root.movieCard = card
        case let action as Login.Action: Login().reduce(&root.login, action)
        case let action as Login.Internal: Login().reduce(&root.login, internal: action)
        case let action as ModuleStart<User>: root.user = User().begin(action.start)
        case is ModuleStop<User>:
            _ = try there(root.user)
            root.user = nil
        case let action as User.Action:
            var user = try there(root.user)
            try User().reduce(&user, action)
            root.user = user
        case let action as Sessions.Internal: Sessions().reduce(&root.sessions, internal: action)
        case is ScreenShown, is ClientRequest: break
        default: throw Refusal(reason: "There is no such action.")
        }
    }

    private static func there<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Refusal(reason: "It is not there.") }
        return value
    }

    static func view(saying action: any Action) -> String? { action is Home.UI ? "home" : nil }

    static func explains(_ record: Record, by cause: Record?) -> Property? {
        switch record.type {
        case "login/loading", "login/succeeded", "login/failed":
            cause?.type == "usecases/login/login" ? nil : .cause
        case "user/start": cause?.type == "login/succeeded" ? nil : .cause
        default: .consequence
        }
    }

    // What follows

    static func follows(_ applied: Applied<AppState>, _ calls: inout Calls) {
        let authors = applied.authors
        if applied.changed(Place.home), applied.calls("HomePresenter") {
            home(applied.before.home, applied.after.home, authors, &calls)
        }
        again(applied, ModuleStart<Home>.self, "home", applied.before.home != nil) { unseen in
            home(nil, applied.after.home, unseen, &calls)
        }
        if applied.changed(Place.card), applied.calls("MovieCardPresenter") {
            card(applied.before.movieCard, applied.after.movieCard, authors, &calls)
        }
        again(
            applied,
            ModuleStart<MovieCard>.self,
            "movieCard",
            applied.before.movieCard != nil
        ) { unseen in
            card(nil, applied.after.movieCard, unseen, &calls)
        }
        if applied.changed(Place.login), applied.calls("LoginPresenter"),
            applied.before.login.progress != .idle, applied.after.login.progress == .idle
        {
            calls.dispatch(
                User.stop,
                for: Audience(.allExcludingEmitter, emitter: "LoginPresenter")
            )
        }
    }

    /// A session that starts a module which is started already, and does not see it, is shown it as
    /// if it had just been started.
    private static func again<A: Action>(
        _ applied: Applied<AppState>,
        _ start: A.Type,
        _ view: String,
        _ wasStarted: Bool,
        _ begins: ([String]) -> Void
    ) {
        guard applied.action is A, wasStarted else { return }
        let unseen = applied.authors.filter { name in
            applied.before.sessions[name]?.shows(view) != true
        }
        if !unseen.isEmpty { begins(unseen) }
    }

    private static func home(
        _ old: Home.State?,
        _ new: Home.State?,
        _ sessions: [String],
        _ calls: inout Calls
    ) {
        route("home", old != nil, new != nil, sessions, &calls)
        guard let title = new?.selectedMovie, title != old?.selectedMovie else { return }
        let audience = Audience(.allExcludingEmitter, emitter: "HomePresenter")
        calls.dispatch(MovieCard.start(.init(title: title)), for: audience)
        calls.dispatch(Home.Internal.cardShown, for: audience)
    }

    private static func card(
        _ old: MovieCard.State?,
        _ new: MovieCard.State?,
        _ sessions: [String],
        _ calls: inout Calls
    ) {
        route("movieCard", old != nil, new != nil, sessions, &calls)
    }

    private static func route(
        _ view: String,
        _ wasThere: Bool,
        _ isThere: Bool,
        _ sessions: [String],
        _ calls: inout Calls
    ) {
        if !wasThere, isThere, !sessions.isEmpty {
            calls.dispatch(
                Sessions.Internal.presented(view: view, style: .push, sessions: sessions)
            )
        }
        if wasThere, !isThere { calls.dispatch(Sessions.Internal.withdrawn(view: view)) }
    }

    static func begins(_ root: AppState, _ calls: inout Calls) {
        func first(_ view: String) -> [String] {
            root.sessions.sessions.values.contains { $0.shows(view) } ? [] : [Sessions.shared]
        }
        home(nil, root.home, first("home"), &calls)
        card(nil, root.movieCard, first("movieCard"), &calls)
    }

    static func effects(_ applied: Applied<AppState>, _ works: inout Works) {}
}
