public import StoreCore
public import StorePatterns

/// The card of one movie.
public struct MovieCard: StartableModule {
    /// What the card shows.
    public struct State: ModuleState {
        /// The movie's title.
        public var title: String
        /// Whether it is on the visitor's list of movies to see.
        public var isWanted: Bool

        /// Makes a card; by default the movie is not on the list.
        public init(title: String, isWanted: Bool = false) {
            self.title = title
            self.isWanted = isWanted
        }
    }

    /// The input of a card.
    public struct Start: Codable, Equatable, Sendable {
        /// The movie's title.
        public let title: String

        /// Names the movie.
        public init(title: String) {
            self.title = title
        }
    }

    /// What may be asked of a card.
    public enum Action: ModuleAction {
        /// The visitor puts the movie on the list of movies to see, or takes it off.
        case wanted(isWanted: Bool)
    }

    /// Makes the module.
    public init() {}

    /// A card of a movie that is not on the list yet.
    public func begin(_ start: Start) throws -> State {
        guard !start.title.isEmpty else {
            throw Refusal(reason: "A card needs a title.", pointer: "/title")
        }
        return State(title: start.title)
    }

    /// Never refused.
    public func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .wanted(let isWanted): state.isWanted = isWanted
        }
    }
}

/// Presents the card.
public struct MovieCardPresenter: ViewPresenter {
    /// The card.
    public static let view = "movieCard"

    /// Presents the card while there is one.
    public func stateDidUpdate(
        from old: MovieCard.State?,
        to new: MovieCard.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.navigation.present("movieCard") }
        if old != nil, new == nil { context.withdraw("movieCard") }
    }
}
