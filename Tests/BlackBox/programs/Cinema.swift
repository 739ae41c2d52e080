// A store of modules with the features that the shipped store does not use: instances, side effects
// with results, and two interactors with one presenter. Its effects take time, fail, try again and
// are cancelled. CINEMA=later is a later program, which has lost an action.

import Glibc
import StoreCore
import StorePatterns
import StoreServer
import Synchronization

/// A number, and calculations with it.
struct Tally: Module {
    struct State: ModuleState {
        var count = 0
        var order: [Int] = []
    }

    enum Action: ModuleAction {
        case increased
        case changed(by: Int)
    }

    static let dispatchables: [any Dispatchable.Type] = [
        Multiply.self, MultiplyTwice.self, Peek.self, Pause.self, PauseWithin.self,
        Fail.self, Flaky.self, Slow.self, TurnTaken.self,
    ]

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .increased: state.count += 1
        case .changed(let amount): state.count += amount
        }
    }
}

struct Multiply: SideEffect {
    let a: Int
    let b: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws -> Int { a * b }
}

/// Dispatches the same side effect twice, with the result of the first.
struct MultiplyTwice: SideEffect {
    let a: Int
    let b: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws -> Int {
        let first = try await context.value(of: Multiply(a: a, b: b))
        return try await context.value(of: Multiply(a: first, b: 2))
    }
}

/// A side effect that reads the state before and after an action that it dispatches.
struct Peek: SideEffect {
    func sideEffect(_ context: EffectContext<Tally.State>) async throws -> [Int] {
        let before = try await context.state().count
        try await context.dispatch(Tally.Action.increased)
        return [before, try await context.state().count]
    }
}

/// Takes the given number of milliseconds.
struct Pause: SideEffect {
    let ms: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws {
        try await context.sleep(for: .milliseconds(ms))
    }
}

/// Waits for an effect that its own effect dispatches.
struct PauseWithin: SideEffect {
    let ms: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws {
        try await context.dispatch(Pause(ms: ms))
        try await context.sleep(for: .milliseconds(ms))
    }
}

struct Fail: SideEffect {
    let reason: String

    func sideEffect(_ context: EffectContext<Tally.State>) async throws {
        throw Refusal(reason: reason)
    }
}

/// Fails the given number of times, and then succeeds.
struct Flaky: RetriedSideEffect {
    static let retry = Retry.times(1, pause: .milliseconds(1))
    static let attempts = Mutex(0)

    let failures: Int

    func sideEffect(_ context: EffectContext<Tally.State>) async throws -> Int {
        let attempt = Self.attempts.withLock { attempts in
            attempts += 1
            return attempts
        }
        guard attempt > failures else { throw Refusal(reason: "attempt \(attempt) failed") }
        try await context.dispatch(Tally.Action.changed(by: 100))
        return attempt
    }
}

/// Keeps the reducer busy, and then appends its number to the order of turns.
struct Slow: StateUpdater {
    let ms: UInt32
    let number: Int

    func updateState(_ state: inout Tally.State) throws {
        usleep(min(ms, 1_000) * 1_000)
        state.order.append(number)
    }
}

/// Removes a turn from the order of turns. Refused if the order has no such turn.
struct TurnTaken: StateUpdater {
    let index: Int

    func updateState(_ state: inout Tally.State) throws {
        guard state.order.indices.contains(index) else {
            throw Refusal(reason: "There is no turn \(index).", pointer: "/index")
        }
        state.order.remove(at: index)
    }
}

/// Searches for titles, one search at a time.
struct Search: StartableModule, EffectfulModule {
    struct State: ModuleState {
        var text = ""
        var found: [String] = []
    }

    enum Action: ModuleAction {
        case asked(text: String, ms: Int)
        case givenUp
        case touched
    }

    enum UI: ModuleAction {
        case typed(text: String)
    }

    enum Internal: ModuleAction {
        case found(text: String)
    }

    func begin(_ start: NoFields) -> State { State() }

    func begin(_ start: NoFields, over old: State) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .asked(let text, let ms):
            state.text = text
            return .run(id: "search", cancelInFlight: true) { context in
                try await context.sleep(for: .milliseconds(ms))
                try await context.dispatch(Internal.found(text: text))
            }
        case .givenUp: return .cancel(id: "search")
        case .touched: return .none
        }
    }

    func reduce(_ state: inout State, ui action: UI) -> Effect<State> {
        switch action {
        case .typed(let text): state.text = text
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .found(let text): state.found.append(text)
        }
        return .none
    }
}

/// A card for each film.
struct Cards: StartableModule, EffectfulModule {
    struct State: ModuleState {
        var title: String
        var likes = 0
        var text: String?
    }

    struct Start: Codable, Equatable, Sendable {
        let title: String
    }

    enum Action: ModuleAction {
        case liked
        case opened(ms: Int)
    }

    enum Internal: ModuleAction {
        case loaded(text: String)
    }

    func begin(_ start: Start) throws -> State {
        guard !start.title.isEmpty else {
            throw Refusal(reason: "A card has a title.", pointer: "/title")
        }
        return State(title: start.title)
    }

    func begin(_ start: Start, over old: State) throws -> State { try begin(start) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .liked:
            state.likes += 1
            return .none
        case .opened(let ms):
            return .run { context in
                try await context.sleep(for: .milliseconds(ms))
                let title = try await context.state().title
                try await context.dispatch(Internal.loaded(text: "All about \(title)"))
            }
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .loaded(let text): state.text = text
        }
        return .none
    }
}

// Two use cases, each with an interactor and outputs of its own, and one presenter for both.

enum SignInOutput: Codable, Equatable, Sendable {
    case loading
    case succeeded(user: String)
}

enum UserInfoOutput: Codable, Equatable, Sendable {
    case loaded(name: String)
}

/// The content of an account's screen.
struct Account: Module {
    struct State: ModuleState {
        var progress = "idle"
        var message: String?
        var user: String?
        var names: [String] = []
    }

    enum Internal: ModuleAction {
        case signIn(SignInOutput)
        case userInfo(UserInfoOutput)
    }

    struct Credentials: Codable, Sendable {
        let user: String
        let password: String
    }

    struct Names: Codable, Sendable {
        let names: [String]
    }

    struct Nothing: Codable, Sendable {}

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("account", "signIn", cancelInFlight: true) {
                (input: Credentials, context) in
                let presenter = AccountPresenter(context.dispatcher(for: Internal.self))
                let interactor = SignInInteractor(dispatcher: presenter.asDispatcher())
                try await interactor.signIn(user: input.user, password: input.password)
            },
            UseCaseMethod("account", "names") { (input: Names, context) in
                let presenter = AccountPresenter(context.dispatcher(for: Internal.self))
                let interactor = UserInfoInteractor(dispatcher: presenter.asDispatcher())
                for name in input.names { try await interactor.load(name) }
            },
            UseCaseMethod("account", "wait") { (_: Nothing, context) in
                try await context.sleep(for: .seconds(3_600))
            },
        ]
    }

    func reduce(_ state: inout State, internal action: Internal) {
        AccountTranslator().translate(action: action, store: &state)
    }
}

/// Turns the interactors' outputs into texts of the screen.
struct AccountTranslator: Translator {
    func translate(action: Account.Internal, store: inout Account.State) {
        switch action {
        case .signIn(.loading):
            store.progress = "loading"
            store.message = "Who is that?"
        case .signIn(.succeeded(let user)):
            store.progress = "loadSucceeded"
            store.message = nil
            store.user = user
        case .userInfo(.loaded(let name)): store.names.append(name)
        }
    }
}

/// The presenter that several interactors use as their dispatcher.
struct AccountPresenter {
    private let dispatcher: AnyDispatcher<Account.Internal>

    init(_ dispatcher: AnyDispatcher<Account.Internal>) { self.dispatcher = dispatcher }

    func asDispatcher() -> AnyDispatcher<SignInOutput> { dispatcher.map { .signIn($0) } }
    func asDispatcher() -> AnyDispatcher<UserInfoOutput> { dispatcher.map { .userInfo($0) } }
}

final class SignInInteractor: Interactor<SignInOutput> {
    func signIn(user: String, password: String) async throws {
        try await dispatcher.dispatch(.loading)
        guard password == "open sesame" else { throw Refusal(reason: "The word is another one.") }
        try await dispatcher.dispatch(.succeeded(user: user))
    }
}

final class UserInfoInteractor: Interactor<UserInfoOutput> {
    func load(_ name: String) async throws { try await dispatcher.dispatch(.loaded(name: name)) }
}

/// The search on a screen; empty while no search is started.
struct FoundViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Search.self]
    let found: [String]

    init?(state: AppState) {
        guard let search = state.search else { return nil }
        found = search.found
    }
}

struct AppState: RootState {
    var tally = Tally.State()
    var search: Search.State?
    var cards = Instances<Cards.State>()
    var account = Account.State()

    static let modules: Modules = [
        Tally().at(\.tally), Search().at(\.search).lifecycle(.everybody),
        Cards().at(\.cards).lifecycle(.everybody), Account().at(\.account),
    ]
    static let views: Views = [FoundViewModel.self]
}

/// The hundredth action starts a card without a title, which is refused.
let celebrated = Reaction<AppState>.onDispatch(of: Tally.Action.self) { _, old, new in
    guard old.tally.count < 100, new.tally.count >= 100 else { return nil }
    return Cards.start(.init(title: "")).to("hundred")
}

// The later program, in which no client can dispatch the actions of a search.

struct LaterSearch: StartableModule {
    static let name = "search"
    typealias State = Search.State

    enum Action: ModuleAction {
        case asked(text: String, ms: Int)
        case givenUp
    }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) {}
}

struct LaterState: RootState {
    var search: Search.State?

    static let modules: Modules = [LaterSearch().at(\.search).lifecycle(.everybody)]
}

switch getenv("CINEMA").map({ String(cString: $0) }) {
case "later": Server(LaterState.self).main()
default: Server(AppState.self).reactions(celebrated).main()
}
