public import DefaultMovieCardInterface
public import StoreCore

struct MovieCardModule: StartableModule {
    typealias Interface = MovieCard

    /// Returns the card of a movie that is not on the list of movies to see yet. Refuses an empty
    /// title.
    func begin(_ start: MovieCard.Start) throws -> State {
        guard !start.title.isEmpty else {
            throw Refusal(reason: "A card needs a title.", pointer: "/title")
        }
        return State(title: start.title)
    }

    /// Returns a new card. The store calls this function if the visitor selects another movie while
    /// a card is shown.
    func begin(_ start: MovieCard.Start, over old: State) throws -> State { try begin(start) }

    /// Applies an action. Never refuses it.
    func reduce(_ state: inout State, _ action: MovieCard.Action) {
        switch action {
        case .wanted(let isWanted): state.isWanted = isWanted
        }
    }
}

extension MovieCard {
    /// The module, for the program that mounts it.
    public static var module: some StartableModule<State> { MovieCardModule() }
}
