// A store with every part that can surround a reducer or follow an action. Middleware waits for the
// commit, interceptors have names, observers are slow, and presenters wait for a client. Effects
// read the whole state, and a shared value is in a file.

import Dispatch
import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// A desk with lines and work.
struct Desk: EffectfulModule {
    struct State: ModuleState {
        var lines: [String] = []
        var outcomes: [String] = []
        /// The time that the observers take for each state from now on.
        var observedMs: UInt32 = 0
        var view: String?
    }

    enum Action: ModuleAction {
        case written(text: String)
        case observed(ms: UInt32)
        case presented(view: String)
        case worked(count: Int, ms: Int)
        case napped(ms: Int)
        case broken(ms: Int)
    }

    enum Internal: ModuleAction { case settled(outcome: String) }

    static let dispatchables: [any Dispatchable.Type] = [Weighed.self]

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .written("refused"): throw Refusal(reason: "Not this one.")
        case .written(let text): state.lines.append(text)
        case .observed(let ms): state.observedMs = min(ms, 10_000)
        case .presented(let view): state.view = view
        case .worked(let count, let ms):
            return (0..<count).reduce(.none) { all, _ in
                .merge(all, .run { try await $0.sleep(for: .milliseconds(ms)) })
            }
        case .napped(let ms):
            return .run { try await $0.sleep(for: .milliseconds(ms)) }
        case .broken(let ms):
            return .run { context in
                try await context.sleep(for: .milliseconds(ms))
                throw Refusal(reason: "It broke.")
            }
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .settled(let outcome): state.outcomes.append(outcome)
        }
        return .none
    }
}

struct DeskPresenter: Presenter {
    func stateDidUpdate(from old: Desk.State?, to new: Desk.State?, _ context: PresenterContext) {
        guard let old, let view = new?.view, view != old.view else { return }
        context.navigation.present(view) { outcome in
            context.dispatch(Desk.Internal.settled(outcome: "\(outcome)"))
        }
    }
}

/// A side effect whose value takes some time.
struct Weighed: SideEffect {
    let ms: Int
    let value: Int

    func sideEffect(_ context: EffectContext<Desk.State>) async throws -> Int {
        try await context.sleep(for: .milliseconds(ms))
        return value
    }
}

/// A module with instances, whose effects sleep.
struct Card: EffectfulModule, StartableModule {
    struct State: ModuleState { var rests = 0 }
    enum Action: ModuleAction { case rested(ms: Int) }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .rested(let ms):
            state.rests += 1
            return .run { try await $0.sleep(for: .milliseconds(ms)) }
        }
    }
}

/// The notes of each session, and the parts of the whole state that its effects see.
struct Note: EffectfulModule {
    struct State: ModuleState {
        var text = ""
        var seen: [String] = []
    }

    enum Action: ModuleAction {
        case kept(text: String)
        case looked
        case mistaken
    }

    enum Internal: ModuleAction { case saw(String) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .kept(let text): state.text = text
        case .looked:
            return .run { context in
                let line = "a line"
                let version = try await context.dispatch(Desk.Action.written(text: line))
                let whole = try await context.state(of: AppState.self)
                let isThere = whole.desk.lines.contains(line)
                try await context.dispatch(
                    Internal.saw("\(whole.note.value.text), \(isThere), \(version > 0)")
                )
            }
        case .mistaken:
            return .run { context in
                do {
                    _ = try await context.state(of: OtherState.self)
                } catch {
                    try await context.dispatch(Internal.saw("\(error)"))
                }
            }
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .saw(let text): state.seen.append(text)
        }
        return .none
    }
}

/// A user whose profile other programs read.
struct User: Module {
    struct State: ModuleState {
        var name = "nobody yet"
        var changes = 0
    }

    enum Action: ModuleAction {
        case renamed(name: String)
        case restored(name: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .renamed(let name), .restored(let name):
            state.name = name
            state.changes += 1
        }
    }
}

struct Profile: Codable, Equatable, Sendable { let name: String }

extension User: SharingModule {
    func share(_ state: State) -> Profile { Profile(name: state.name) }
}

/// Shares the slices of sessions, which can't be kept in one file.
struct Secret: SharingModule {
    struct State: ModuleState { var text = "" }
    enum Action: ModuleAction { case kept(text: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .kept(let text): state.text = text
        }
    }

    func share(_ state: State) -> String { state.text }
}

struct AppState: RootState {
    var desk = Desk.State()
    var cards = Instances<Card.State>()
    var note = PerSession(Note.State())
    var user = User.State()
    var secret = PerSession(Secret.State())
    var sessions = Sessions.State()

    static let modules: Modules = [
        Desk().at(\.desk).presented(by: DeskPresenter()),
        Card().at(\.cards).lifecycle(.everybody),
        Note().at(\.note),
        User().at(\.user),
        Secret().at(\.secret),
        Sessions().at(\.sessions),
    ]
}

struct OtherState: RootState {
    var desk = Desk.State()

    static let modules: Modules = [Desk().at(\.desk)]
}

/// Prints a line on standard output.
func line(_ text: String) {
    print(text)
    fflush(nil)
}

func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// Prints the state before the action, and the committed version.
func seen(_ name: String) -> Middleware<AppState> {
    { state, action, envelope in
        guard case .written(let text) = action as? Desk.Action else { return nil }
        let before = state.desk.lines.count
        line("\(name) sees \(text), before it \(before)")
        return {
            let cause = envelope.cause.map { "\($0)" } ?? "none"
            line("\(name) 1: \(text) is \(envelope.version), \(envelope.type), cause \(cause)")
            line("\(name) 2: \(text) of \(envelope.session)")
        }
    }
}

/// Blocks one text.
func block(_ text: String) -> Interceptor<AppState> {
    { _, action, _ in
        guard case .written(text) = action as? Desk.Action else { return .proceed }
        throw Refusal.forbidden("\(text) is blocked.")
    }
}

let queue = DispatchQueue(label: "around")
var server = Server(AppState.self)
    .middleware("twin", seen("first"))
    .middleware("twin", seen("second"))
    .middleware { _, _, _ in nil }
    .interceptor("no x", block("x"))
    .interceptor("no y", block("y"))
    .interceptor { _, _, _ in .proceed }
    .observer(on: queue) { state in usleep(state.desk.observedMs * 1_000) }
if let file = variable("AROUND_FILE") {
    server =
        variable("AROUND_BEGINS") == nil
        ? server.sharedValue(of: User.self, in: .file(file))
        : server.sharedValue(of: User.self, in: .file(file)) { User.Action.restored(name: $0.name) }
}
if let file = variable("AROUND_SECRET") {
    server = server.sharedValue(of: Secret.self, in: .file(file))
}
if variable("AROUND_SECOND") != nil {
    server = server.store(Server(AppState.self), named: "second")
}
server.main()
