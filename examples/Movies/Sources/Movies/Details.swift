import StoreCore

/// The details of the film that a client shows.
struct Details: StartableModule {
    struct State: ModuleState {
        var id: Int
        var film: FilmDetails?
        var failure: String?
    }

    struct Start: Codable, Equatable, Sendable {
        var id: Int
    }

    enum Internal: ModuleAction {
        case loaded(film: FilmDetails)
        case failed(reason: String)
    }

    func begin(_ start: Start) -> State { State(id: start.id) }

    /// Returns the details of another film. Called when a client shows this film in place of the
    /// old film.
    func begin(_ start: Start, over old: State) -> State { begin(start) }

    func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .loaded(let film): state.film = film
        case .failed(let reason): state.failure = reason
        }
    }

    func effect(afterStart start: Start, in state: State) -> Effect<State> {
        .run { context in
            do {
                let film = try await context.dependencies.films.details(of: start.id)
                try await context.dispatch(Internal.loaded(film: film))
            } catch let error as FilmServiceError {
                try await context.dispatch(Internal.failed(reason: error.reason))
            }
        }
    }
}
