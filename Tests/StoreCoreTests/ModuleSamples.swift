import StoreCore
import StorePatterns

// The modules of this target's tests

struct Tally: Module {
    struct State: ModuleState {
        var count = 0
        var step = 1
    }

    enum Action: ModuleAction {
        case increased, decreased
        case stepChanged(to: Int)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .increased: state.count += state.step
        case .decreased: state.count -= state.step
        case .stepChanged(let step):
            state.step = step
            guard step != 0 else { throw Refusal(reason: "A step of 0 leads nowhere.") }
        }
    }
}

/// The movie list of Beaver's introduction.
struct Home: StartableModule, EffectfulModule {
    struct State: ModuleState {
        var titles: [String]
        var selected: String?
    }

    enum Action: ModuleAction {
        case refreshed(after: Int)
        case cancelled
    }

    enum Internal: ModuleAction {
        case didTapOnMovieCell(title: String)
        case loaded(titles: [String])
    }

    func begin(_ start: NoFields, over old: State) -> State { begin(start) }

    func begin(_ start: NoFields) -> State {
        State(titles: (0...10).map { "Movie \($0)" })
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .didTapOnMovieCell(let title): state.selected = title
        case .loaded(let titles): state.titles = titles
        }
        return .none
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .refreshed(let milliseconds):
            return .run(id: "refresh", cancelInFlight: true) { context in
                try await context.sleep(for: .milliseconds(milliseconds))
                try await context.dispatch(Internal.loaded(titles: ["Fresh"]))
            }
        case .cancelled: return .cancel(id: "refresh")
        }
    }
}

struct MovieCard: StartableModule {
    struct State: ModuleState {
        var title: String
        var likes = 0
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
    }

    enum Action: ModuleAction {
        case liked
    }

    func begin(_ start: Start) throws -> State {
        guard !start.title.isEmpty else { throw Refusal(reason: "A card has a title.") }
        return State(title: start.title)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .liked: state.likes += 1
        }
    }
}

/// A card for each of several movies.
struct Cards: StartableModule {
    static let name = "cards"
    typealias State = MovieCard.State
    typealias Start = MovieCard.Start

    enum Action: ModuleAction {
        case liked
    }

    func begin(_ start: Start) throws -> State { State(title: start.title) }

    func reduce(_ state: inout State, _ action: Action) { state.likes += 1 }
}

/// A trailer, which plays from its start on.
struct Trailer: StartableModule {
    struct State: ModuleState {
        var seconds: Int
        var isOver = false
    }

    struct Start: Codable, Equatable, Sendable {
        var seconds: Int
    }

    enum Internal: ModuleAction {
        case ended
    }

    func begin(_ start: Start) -> State { State(seconds: start.seconds) }

    func begin(_ start: Start, over old: State) -> State { begin(start) }

    func reduce(_ state: inout State, internal action: Internal) { state.isOver = true }

    func effect(afterStart start: Start, in state: State) -> Effect<State> {
        .run { context in
            try await context.sleep(for: .seconds(start.seconds))
            try await context.dispatch(Internal.ended)
        }
    }
}

struct HomePresenter: Presenter {
    func stateDidUpdate(from old: Home.State?, to new: Home.State?, _ context: PresenterContext) {
        guard let title = new?.selected, title != old?.selected else { return }
        context.dispatch(MovieCard.start(.init(title: title)))
    }
}

struct Multiply: SideEffect {
    let a: Int
    let b: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws -> Int { a * b }
}

struct MultiplyTwice: SideEffect {
    let a: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws -> Int {
        try await context.value(of: Multiply(a: context.value(of: Multiply(a: a, b: 2)), b: 2))
    }
}

struct Reset: StateUpdater {
    func updateState(_ state: inout Workshop.State) throws { state.name = "" }
}

/// A module of dispatchables, without an enum.
struct Workshop: Module {
    struct State: ModuleState {
        var name = "shop"
    }

    static let dispatchables: [any Dispatchable.Type] = [Reset.self]
}

/// A window through which a visitor sees the tally, another module's slice.
struct Window: StartableModule {
    struct State: ModuleState {
        var tally = Shared<Int>()
        var opened = true
    }

    func begin(_ start: NoFields) -> State { State() }
}

extension Tally: SharingModule {
    func share(_ state: State) -> Int { state.count }
}

struct SampleState: RootState {
    var tally = Tally.State()
    var home: Home.State?
    var movieCard: MovieCard.State?
    var cards = Instances<MovieCard.State>()
    var workshop = Workshop.State()
    var trailer: Trailer.State?
    var window: Window.State?

    static let modules: Modules = [
        Tally().at(\.tally),
        Home().at(\.home).presented(by: HomePresenter()),
        MovieCard().at(\.movieCard),
        Cards().at(\.cards),
        Workshop().at(\.workshop),
        Trailer().at(\.trailer),
        Window().at(\.window).reading(\Window.State.tally, of: Tally.self),
    ]
}
