import StoreCore

/// The list of popular films, which is loaded page by page.
struct Popular: EffectfulModule {
    struct State: ModuleState {
        var films: [Film] = []
        /// The number of loaded pages, and the number of all pages.
        var page = 0
        var pages = 1
        var isLoading = false
        var failure: String?
    }

    enum Action: ModuleAction {
        /// The user loads the list again from its first page.
        case refreshed
        /// The user has scrolled to the end, or asks to repeat a failed request.
        case nextPageAsked
    }

    enum Internal: ModuleAction {
        case loaded(page: FilmPage)
        case failed(reason: String)
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .refreshed:
            state = State(isLoading: true)
        case .nextPageAsked:
            guard !state.isLoading else { throw Refusal(reason: "A page is on its way.") }
            guard state.page < state.pages else { throw Refusal(reason: "That was the last page.") }
            state.isLoading = true
            state.failure = nil
        }
        return load(page: state.page + 1)
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.isLoading = false
        switch action {
        case .loaded(let page):
            state.films += page.films
            state.page = page.page
            state.pages = page.pages
        case .failed(let reason):
            state.failure = reason
        }
        return .none
    }

    private func load(page: Int) -> Effect<State> {
        .run(id: "page", cancelInFlight: true) { context in
            do {
                let page = try await context.dependencies.films.popular(page: page)
                try await context.dispatch(Internal.loaded(page: page))
            } catch let error as FilmServiceError {
                try await context.dispatch(Internal.failed(reason: error.reason))
            }
        }
    }
}
