import StoreCore

/// The search for films by their titles, while the user types.
struct Search: EffectfulModule {
    /// The maximum number of kept suggestions.
    static let suggestionsMax = 10
    /// The maximum length of a searched text, in bytes.
    static let textBytesMax = 200
    /// The time without a change of the text before the request is sent.
    static let pause = Duration.milliseconds(300)

    struct State: ModuleState {
        var text = ""
        var films: [Film] = []
        /// The texts of the last searches that found films, the newest first.
        var suggestions: [String] = []
        var isSearching = false
        var failure: String?
    }

    enum Action: ModuleAction {
        /// The search field has a new text, which the user has typed or has chosen from the
        /// suggestions.
        case textChanged(to: String)
    }

    enum Internal: ModuleAction {
        case found(films: [Film])
        case failed(reason: String)
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .textChanged(let text):
            guard text.utf8.count <= Self.textBytesMax else {
                throw Refusal(reason: "No title is as long as that.", pointer: "/to")
            }
            state = State(
                text: text,
                films: text.isEmpty ? [] : state.films,
                suggestions: state.suggestions,
                isSearching: !text.isEmpty
            )
            return text.isEmpty ? .cancel(id: "search") : search(text)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.isSearching = false
        switch action {
        case .found(let films):
            state.films = films
            guard !films.isEmpty else { break }
            state.suggestions.removeAll { $0 == state.text }
            state.suggestions = [state.text] + state.suggestions.prefix(Self.suggestionsMax - 1)
        case .failed(let reason):
            state.films = []
            state.failure = reason
        }
        return .none
    }

    private func search(_ text: String) -> Effect<State> {
        .run(id: "search", cancelInFlight: true) { context in
            do {
                try await context.sleep(for: Self.pause)
                let films = try await context.dependencies.films.search(text)
                try await context.dispatch(Internal.found(films: films))
            } catch let error as FilmServiceError {
                try await context.dispatch(Internal.failed(reason: error.reason))
            }
        }
    }
}
