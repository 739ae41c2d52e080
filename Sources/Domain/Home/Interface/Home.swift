public import StoreCore

/// A list of movies to choose from.
public enum Home: StartableInterface {
    /// The list and the selected movie.
    public struct State: ModuleState {
        /// The movies' titles.
        public var titles: [String]
        /// The title of the movie that the visitor tapped on; `nil` if no movie is selected. The
        /// selection ends when the movie's card is shown.
        public var selectedMovie: String?

        /// Makes a list of these titles.
        public init(titles: [String], selectedMovie: String? = nil) {
            self.titles = titles
            self.selectedMovie = selectedMovie
        }
    }
}
