import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// A module whose presenter changes routes as its actions request.
struct Stage: Module {
    enum Verb: String, Codable, Sendable { case push, pop, modal, close, root, until }

    struct Order: Codable, Equatable, Sendable {
        let number: Int
        let verb: Verb
        let view: String
    }

    struct State: ModuleState {
        var order: Order?
        var outcomes: [String] = []
    }

    enum Action: ModuleAction {
        case asked(verb: Verb, view: String)
    }

    enum Internal: ModuleAction {
        case settled(number: Int, outcome: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .asked(let verb, let view):
            state.order = Order(number: (state.order?.number ?? 0) + 1, verb: verb, view: view)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) {
        switch action {
        case .settled(let number, let outcome): state.outcomes.append("\(number) \(outcome)")
        }
    }
}

struct StagePresenter: Presenter {
    func stateDidUpdate(from old: Stage.State?, to new: Stage.State?, _ context: PresenterContext) {
        // The call at the start of the store has no old state: no client has asked for anything.
        guard let old, let order = new?.order, order != old.order else { return }
        let settle: RouteCompletion = {
            context.dispatch(Stage.Internal.settled(number: order.number, outcome: "\($0)"))
        }
        switch order.verb {
        case .push: context.navigation.present(order.view, completion: settle)
        case .pop: context.navigation.dismiss(completion: settle)
        case .modal: context.modal.present(order.view, completion: settle)
        case .close: context.modal.dismiss(completion: settle)
        case .root: context.window.present(order.view, completion: settle)
        case .until: context.navigation.dismiss(until: order.view, completion: settle)
        }
    }
}

/// Work that takes long, so that a session may end before the work.
struct Work: EffectfulModule {
    struct State: ModuleState { var done: [String] = [] }
    enum Action: ModuleAction { case begun(name: String, ms: Int) }
    enum Internal: ModuleAction { case ended(name: String) }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .ended(let name): state.done.append(name)
        }
        return .none
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .begun(let name, let ms):
            .run(id: name) { context in
                try await context.sleep(for: .milliseconds(ms))
                try await context.dispatch(Internal.ended(name: name))
            }
        }
    }
}

/// The shared value of the work: the number of finished tasks.
extension Work: SharingModule {
    func share(_ state: State) -> Int { state.done.count }
}

/// Shows another module's shared value.
struct Board: VisibleModule {
    struct State: ModuleState {
        var done = Shared<Int>()
        var title = "done"
    }

    enum Action: ModuleAction { case named(title: String) }
    enum UI: ModuleAction { case willAppear, willDisappear }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .named(let title): state.title = title
        }
    }

    func reduce(_ state: inout State, ui action: UI) {}

    func visibilityDidChange(to visibility: ViewVisibility) -> UI? {
        switch visibility {
        case .visible: .willAppear
        case .hidden: .willDisappear
        }
    }
}

/// A module whose presenter dispatches more actions than may wait, and then blocks the Core.
struct Flood: Module {
    static let drops = 70_000

    struct State: ModuleState {
        var ms: UInt32 = 0
        var drops = 0
    }

    enum Action: ModuleAction { case came(ms: UInt32) }
    enum Internal: ModuleAction { case dropped }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .came(let ms): state.ms = ms
        }
    }

    func reduce(_ state: inout State, internal action: Internal) { state.drops += 1 }
}

struct FloodPresenter: Presenter {
    func stateDidUpdate(from old: Flood.State?, to new: Flood.State?, _ context: PresenterContext) {
        guard let ms = new?.ms, ms != old?.ms, ms > 0 else { return }
        for _ in 0..<Flood.drops { context.dispatch(Flood.Internal.dropped) }
        usleep(min(ms, 10_000) * 1_000)
    }
}

/// Effects that run again after a restart, or that are reported as ended then. The presenter
/// presents the result to the sessions that asked for it.
struct Errands: KeepingModule {
    struct State: ModuleState {
        var done: [String] = []
    }

    enum Action: ModuleAction {
        case begun(name: String, ms: Int, again: Bool)
        /// Begins the work by an effect that a restart ends.
        case delegated(name: String, ms: Int)
    }

    enum Internal: ModuleAction {
        case ended(name: String)
        case lost(version: UInt64)
    }

    enum Work: ModuleWork { case errand(name: String, ms: Int) }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .ended(let name): state.done.append(name)
        case .lost(let version): state.done.append("lost \(version)")
        }
        return .none
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .begun(let name, let ms, let again):
            keep(
                .errand(name: name, ms: ms),
                id: name,
                onRestart: again ? .retried : .reported
            )
        case .delegated(let name, let ms):
            .run { context in
                try await context.dispatch(Action.begun(name: name, ms: ms, again: true))
            }
        }
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .errand(let name, let ms):
            try await context.sleep(for: .milliseconds(ms))
            try await context.dispatch(Internal.ended(name: name))
        }
    }

    func interrupted(after version: UInt64) -> Internal? { .lost(version: version) }
}

struct ErrandsPresenter: Presenter {
    func stateDidUpdate(
        from old: Errands.State?,
        to new: Errands.State?,
        _ context: PresenterContext
    ) {
        guard let old, let last = new?.done.last, new?.done != old.done else { return }
        context.navigation.present(last)
    }
}

struct Bell: Codable, Sendable {}

struct AppState: RootState {
    var stage = Stage.State()
    var work = Work.State()
    var board = Board.State()
    var flood = Flood.State()
    var errands = Errands.State()
    var effects = PendingEffects.State()
    var sessions = Sessions.State()
    var presence = Presence.State()

    static let modules: Modules = [
        Stage().at(\.stage).presented(by: StagePresenter()),
        Work().at(\.work),
        Board().at(\.board).reading(\Board.State.done, of: Work.self),
        Flood().at(\.flood).presented(by: FloodPresenter()),
        Errands().at(\.errands).presented(by: ErrandsPresenter()),
        PendingEffects().at(\.effects),
        Sessions().at(\.sessions),
        Presence().at(\.presence),
    ]
}

Server(AppState.self)
    .reactions(.onNotification("bell", as: Bell.self) { _ in Flood.Internal.dropped })
    .main()
