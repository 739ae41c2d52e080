import StoreCore

/// The screen with the popular films.
struct PopularViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Popular.self]

    let titles: [String]
    let hasMore: Bool
    let status: String

    init?(state: AppState) {
        let popular = state.popular
        titles = popular.films.map(\.line)
        hasMore = popular.page < popular.pages
        status = popular.failure ?? (popular.isLoading ? "Loading…" : "")
    }
}

/// The screen with the search.
struct SearchViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Search.self]

    let text: String
    let titles: [String]
    let suggestions: [String]
    let status: String

    init?(state: AppState) {
        let search = state.search
        text = search.text
        titles = search.films.map(\.line)
        suggestions = search.text.isEmpty ? search.suggestions : []
        let isVain = !search.text.isEmpty && search.films.isEmpty
        status =
            search.failure ?? (search.isSearching ? "Searching…" : isVain ? "Nothing found." : "")
    }
}

/// The screen with one film; absent while no film is shown.
struct DetailsViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Details.self]

    let title: String
    let facts: String
    let overview: String

    init?(state: AppState) {
        guard let details = state.details else { return nil }
        title = details.film?.title ?? ""
        facts = details.film.map { "\($0.year), \($0.minutes) minutes" } ?? ""
        overview = details.film?.overview ?? details.failure ?? "Loading…"
    }
}

extension Film {
    /// The text of the film in a list.
    var line: String { "\(title) (\(year))" }
}
