public import StoreCore

/// The card of one movie.
public enum MovieCard: StartableInterface {
    /// The content of the card.
    public struct State: ModuleState {
        /// The movie's title.
        public var title: String
        /// True if the movie is on the visitor's list of movies to see.
        public var isWanted: Bool

        /// Makes a card; by default the movie is not on the list of movies to see.
        public init(title: String, isWanted: Bool = false) {
            self.title = title
            self.isWanted = isWanted
        }
    }

    /// The input of a card.
    public struct Start: Codable, Equatable, Sendable {
        /// The movie's title.
        public let title: String

        /// Makes the input of a card.
        public init(title: String) { self.title = title }
    }

    /// Actions on a card.
    public enum Action: ModuleAction {
        /// The visitor adds the movie to the list of movies to see, or removes the movie from the
        /// list.
        case wanted(isWanted: Bool)
    }
}
