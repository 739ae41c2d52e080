public import DefaultHomeInterface
public import StoreCore

struct HomeModule: StartableModule {
    typealias Interface = Home

    /// Actions of the list's own view.
    enum UI: ModuleAction {
        /// A visitor tapped on a movie.
        case didTapOnMovieCell(title: String)
    }

    /// Actions of the list's presenter.
    enum Internal: ModuleAction {
        /// The card of the selected movie is shown. The selection ends, so that the visitor may
        /// select this movie again.
        case cardShown
    }

    /// Returns a list of eleven movies.
    func begin(_ start: NoFields) -> State { State(titles: (0...10).map { "Movie \($0)" }) }

    /// Returns a new list. Every start makes a list of the same titles, so the new list loses no
    /// title.
    func begin(_ start: NoFields, over old: State) -> State { begin(start) }

    /// Selects the movie that the visitor tapped on. Refuses a movie that is not in the list.
    func reduce(_ state: inout State, ui action: UI) throws {
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

    func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .cardShown: state.selectedMovie = nil
        }
    }
}

extension Home {
    /// The module, for the program that mounts it.
    public static var module: some StartableModule<State> { HomeModule() }
    /// The presenter of the list.
    public static var presenter: some Presenter<State> { HomePresenter() }
}
