public import StoreCore
public import StorePatterns

/// A list of movies to choose from.
public struct Home: StartableModule {
    /// The list, and what was chosen.
    public struct State: ModuleState {
        /// The movies' titles.
        public var titles: [String]
        /// The title that was tapped last, until its card is closed.
        public var selectedMovie: String?

        /// Makes a list of these titles.
        public init(titles: [String], selectedMovie: String? = nil) {
            self.titles = titles
            self.selectedMovie = selectedMovie
        }
    }

    /// Actions of the list's own view.
    public enum UI: ModuleAction {
        /// A visitor tapped on a movie.
        case didTapOnMovieCell(title: String)
    }

    /// Actions of the presenter.
    public enum Internal: ModuleAction {
        /// The card of the selected movie is shown, so that the same one may be tapped again.
        case cardShown
    }

    /// Makes the module.
    public init() {}

    /// Eleven movies.
    public func begin(_ start: NoFields) -> State {
        State(titles: (0...10).map { "Movie \($0)" })
    }

    /// Refused where the list has no such movie.
    public func reduce(_ state: inout State, ui action: UI) throws {
        switch action {
        case .didTapOnMovieCell(let title):
            guard state.titles.contains(title) else {
                throw Refusal(
                    reason: "There is no movie '\(title)' in the list.",
                    pointer: "/title"
                )
            }
            state.selectedMovie = title
        }
    }

    /// Forgets what was selected.
    public func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .cardShown: state.selectedMovie = nil
        }
    }
}

/// Presents the list, and shows the card of the movie that was tapped.
public struct HomePresenter: ViewPresenter {
    /// The list.
    public static let view = "home"

    /// Presents the list while there is one; starts the card, and lets the list forget what was
    /// tapped.
    public func stateDidUpdate(
        from old: Home.State?,
        to new: Home.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.navigation.present("home") }
        if old != nil, new == nil { context.withdraw("home") }
        guard let title = new?.selectedMovie, title != old?.selectedMovie else { return }
        context.dispatch(MovieCard.start(.init(title: title)))
        context.dispatch(Home.Internal.cardShown)
    }
}
