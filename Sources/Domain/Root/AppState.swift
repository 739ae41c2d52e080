public import DefaultCounterInterface
import DefaultCounterModule
public import DefaultHomeInterface
import DefaultHomeModule
public import DefaultLoginInterface
import DefaultLoginModule
public import DefaultMovieCardInterface
import DefaultMovieCardModule
public import DefaultTodosInterface
import DefaultTodosModule
public import DefaultUserInterface
import DefaultUserModule
public import StoreCore
public import StorePatterns

/// The state of the default store. All sessions share the counter and the list of things to do;
/// each session has its own movies, login and user.
public struct AppState: RootState {
    /// The counter, with its step.
    public var counter = Counter.State()
    /// The list of things to do.
    public var todos = Todos.State()
    /// The list of movies, for each session that has started the list.
    public var home = PerSession<Home.State?>()
    /// The card of the movie that a session has selected.
    public var movieCard = PerSession<MovieCard.State?>()
    /// The progress of each session's login.
    public var login = PerSession(Login.State())
    /// The user of each session that is logged in.
    public var user = PerSession<User.State?>()
    /// The sessions with their routes.
    public var sessions = Sessions.State()

    /// Makes the state before any action.
    public init() {}

    /// The modules with the key paths of their slices.
    public static let modules: Modules = [
        Counter.module.at(\.counter),
        Todos.module.at(\.todos),
        Home.module.at(\.home).presented(by: Home.presenter),
        MovieCard.module.at(\.movieCard).presented(),
        Login.module.at(\.login).presented(by: Login.presenter),
        // Only the program starts this module: a client that could start it would be logged in
        // without a password.
        User.module.at(\.user).lifecycle(.program),
        Sessions().at(\.sessions),
    ]

    /// The views that the server serves in addition to the slices.
    public static let views: Views = [
        ListViewModel.self, ItemsViewModel.self, GreetingViewModel.self,
    ]
}
