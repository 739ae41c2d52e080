public import StoreCore
public import StorePatterns

/// The state of the store that ships: a slice for each of its modules.
public struct AppState: RootState {
    /// The counter and the step by which it moves.
    public var counter = Counter.State()
    /// The list of things to do.
    public var todos = Todos.State()
    /// The list of movies, while it is shown.
    public var home: Home.State?
    /// The card of the movie that was chosen.
    public var movieCard: MovieCard.State?
    /// How far the login is.
    public var login = Login.State()
    /// Who is logged in.
    public var user: User.State?
    /// What each client is shown.
    public var sessions = Sessions.State()

    /// What a fresh store serves before any action.
    public init() {}

    /// Which module has which slice.
    public static let modules: Modules = [
        Counter().at(\.counter),
        Todos().at(\.todos),
        Home().at(\.home).presented(by: HomePresenter()),
        MovieCard().at(\.movieCard).presented(by: MovieCardPresenter()),
        Login().at(\.login).presented(by: LoginPresenter()),
        User().at(\.user),
        Sessions().at(\.sessions),
    ]

    /// The projections that are served beside the slices.
    public static let views: Views = [
        ListViewModel.self, ItemsViewModel.self, GreetingViewModel.self,
    ]
}
