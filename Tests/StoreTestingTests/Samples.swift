import StoreCore

// The modules of this target's tests

struct Tally: Module {
    struct State: ModuleState {
        var count = 0
        var step = 1
    }

    enum Action: ModuleAction {
        case increased
        case stepChanged(to: Int)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .increased: state.count += state.step
        case .stepChanged(0):
            throw Refusal(reason: "A step of 0 leads nowhere.", pointer: "/to")
        case .stepChanged(let step): state.step = step
        }
    }
}

/// A search for titles, which begins after a pause in typing.
struct Search: EffectfulModule {
    struct State: ModuleState {
        var text = ""
        var titles: [String] = []
        var token = ""
    }

    enum Action: ModuleAction {
        case typed(String)
        case lotteryPlayed
        case closed
    }

    enum Internal: ModuleAction {
        case found(titles: [String])
        case drawn(UInt64, id: String)
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .typed(let text):
            state.text = text
            return .run(id: "search", cancelInFlight: true) { context in
                try await context.sleep(for: .milliseconds(300))
                try await context.dispatch(Internal.found(titles: [text + "corn"]))
            }
        case .lotteryPlayed:
            return .run { context in
                let number = try context.dependencies.random() % 100
                let id = try context.dependencies.uuid()
                try await context.dispatch(Internal.drawn(number, id: id))
            }
        case .closed:
            state.text = ""
            return .cancel(id: "search")
        }
    }

    func reduce(_ state: inout State, internal action: Internal) throws -> Effect<State> {
        switch action {
        case .found(let titles): state.titles = titles
        case .drawn(let number, let id):
            guard number != 0 else { throw Refusal(reason: "0 is never drawn.") }
            state.token = "\(number) \(id)"
        }
        return .none
    }
}

/// A page for the first title that a search finds.
struct Page: StartableModule {
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

    func begin(_ start: Start) -> State { State(title: start.title) }

    func reduce(_ state: inout State, _ action: Action) { state.likes += 1 }
}

struct Pages: StartableModule, EffectfulModule {
    typealias State = Page.State
    typealias Start = Page.Start

    enum Action: ModuleAction {
        case liked
        case likedLater
    }

    func begin(_ start: Start) -> State { State(title: start.title) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .liked:
            state.likes += 1
            return .none
        case .likedLater:
            return .run { try await $0.dispatch(Action.liked) }
        }
    }
}

/// Opens a page for the first title that is found.
struct FirstTitle: Presenter {
    func stateDidUpdate(
        from old: Search.State?,
        to new: Search.State?,
        _ context: PresenterContext
    ) {
        guard let title = new?.titles.first, title != old?.titles.first else { return }
        context.dispatch(Page.start(.init(title: title)))
    }
}

struct AppState: RootState {
    var tally = Tally.State()
    var search = Search.State()
    var page: Page.State?
    var pages = Instances<Page.State>()

    static let modules: Modules = [
        Tally().at(\.tally),
        Search().at(\.search).presented(by: FirstTitle()),
        Page().at(\.page),
        Pages().at(\.pages),
    ]
}
