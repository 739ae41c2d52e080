// swift-format-ignore-file

// The lines of Beaver's README, as programs of StoreServer write them. Beaver's protocols have
// other names here, but each line of the README has its counterpart. docs/SEEDS.md has the table.

import StoreCore
import StorePatterns

// HomeRoutingAction, HomeState, HomeReducer

public enum Home: StartableInterface {
    public struct State: ModuleState {
        public var movies: [String]?

        public var selectedMovie: String?

        public init() {
        }
    }
}

struct HomeModule: StartableModule {
    typealias Interface = Home

    enum UI: ModuleAction {
        case didTapOnMovieCell(title: String)
    }

    func begin(_ start: NoFields) -> State {
        var newState = State()
        newState.movies = (0...10).map { "Movie \($0)" }
        return newState
    }

    func reduce(_ newState: inout State, ui action: UI) {
        switch action {
        case .didTapOnMovieCell(let title):
            newState.selectedMovie = title
        }
    }
}

// MovieCardRoutingAction

public struct MovieCard: StartableModule {
    public struct State: ModuleState {
        public var title: String
    }

    public struct Start: Codable, Equatable, Sendable {
        public let title: String

        public init(title: String) {
            self.title = title
        }
    }

    public init() {
    }

    public func begin(_ start: Start) -> State { State(title: start.title) }
}

// HomePresenter

struct HomePresenter: ViewPresenter {
    func stateDidUpdate(
        from oldState: Home.State?,
        to newState: Home.State?,
        _ context: PresenterContext
    ) {
        if oldState?.movies != newState?.movies {
            switch (oldState?.movies, newState?.movies) {
            case (.none, .some):
                context.navigation.present()

            case (.some, .none):
                context.withdraw()

            default:
                break
            }
            return
        }

        if oldState?.selectedMovie != newState?.selectedMovie {
            switch (oldState?.selectedMovie, newState?.selectedMovie) {
            case (.none, let title?):
                context.dispatch(MovieCard.start(.init(title: title)))

            default:
                break
            }
        }
    }
}

struct AppState: RootState {
    var home: Home.State?
    var movieCard: MovieCard.State?
    var sessions = Sessions.State()

    static let modules: Modules = [
        HomeModule().at(\.home).lifecycle(.everybody).presented(by: HomePresenter()),
        MovieCard().at(\.movieCard).lifecycle(.everybody),
        Sessions().at(\.sessions),
    ]
}

func begin() throws {
    let store = try Core(AppState())
    store.dispatch(Home.start)
    store.dispatch(Home.stop)
}
