import DefaultHomeInterface
import DefaultMovieCardInterface
import StoreCore
import StorePatterns

/// The presenter of the list of movies. The presenter also starts the card of a selected movie.
struct HomePresenter: ViewPresenter {
    /// Presents the list while its slice exists. Starts the card of a selected movie, and then
    /// clears the selection.
    func stateDidUpdate(from old: Home.State?, to new: Home.State?, _ context: PresenterContext) {
        if old == nil, new != nil { context.navigation.present() }
        if old != nil, new == nil { context.withdraw() }
        guard let title = new?.selectedMovie, title != old?.selectedMovie else { return }
        context.dispatch(MovieCard.start(.init(title: title)))
        context.dispatch(HomeModule.Internal.cardShown)
    }
}
