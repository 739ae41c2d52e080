import MovieCardInterface
import StoreCore
import StorePatterns

/// Presents the card.
struct MovieCardPresenter: ViewPresenter {
    /// The card.
    static let view = "movieCard"

    /// Presents the card while there is one.
    func stateDidUpdate(
        from old: MovieCard.State?,
        to new: MovieCard.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.navigation.present("movieCard") }
        if old != nil, new == nil { context.withdraw("movieCard") }
    }
}
