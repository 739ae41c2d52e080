public import DefaultMovieCardInterface
public import StoreCore

/// The card: how it begins, and what its actions change.
struct MovieCardModule: StartableModule {
    typealias Interface = MovieCard

    /// A card of a movie that is not on the list yet.
    func begin(_ start: MovieCard.Start) throws -> State {
        guard !start.title.isEmpty else {
            throw Refusal(reason: "A card needs a title.", pointer: "/title")
        }
        return State(title: start.title)
    }

    /// Another movie is selected while a card is shown: its card takes the place.
    func begin(_ start: MovieCard.Start, over old: State) throws -> State { try begin(start) }

    /// Never refused.
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
