import DefaultHomeInterface
import DefaultMovieCardInterface
import StoreCore
import StorePatterns

/// Presents the list, and shows the card of the movie that was tapped.
struct HomePresenter: ViewPresenter {
    /// Presents the list while there is one; starts the card, and lets the list forget what was
    /// tapped.
    func stateDidUpdate(
        from old: Home.State?,
        to new: Home.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.navigation.present() }
        if old != nil, new == nil { context.withdraw() }
        guard let title = new?.selectedMovie, title != old?.selectedMovie else { return }
        context.dispatch(MovieCard.start(.init(title: title)))
        context.dispatch(HomeModule.Internal.cardShown)
    }
}
