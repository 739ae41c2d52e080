public import DefaultHomeInterface
public import StoreCore

/// The list: what its view and its presenter say to it, and what that changes.
struct HomeModule: StartableModule {
    typealias Interface = Home

    /// Actions of the list's own view.
    enum UI: ModuleAction {
        /// A visitor tapped on a movie.
        case didTapOnMovieCell(title: String)
    }

    /// Actions of the presenter.
    enum Internal: ModuleAction {
        /// The card of the selected movie is shown, so that the same one may be tapped again.
        case cardShown
    }

    /// Eleven movies.
    func begin(_ start: NoFields) -> State {
        State(titles: (0...10).map { "Movie \($0)" })
    }

    /// The list is the same for each start, so nothing is lost.
    func begin(_ start: NoFields, over old: State) -> State { begin(start) }

    /// Refused where the list has no such movie.
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

    /// Forgets what was selected.
    func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .cardShown: state.selectedMovie = nil
        }
    }
}

extension Home {
    /// The module, for the program that mounts it.
    public static var module: some StartableModule<State> { HomeModule() }
    /// What presents it.
    public static var presenter: some Presenter<State> { HomePresenter() }
}
