// Modules that dispatch another module's own actions: an effect that awaits, an effect that sends,
// a use case and a presenter.

import StoreCore
import StoreServer

struct Safe: Module {
    struct State: ModuleState { var gold = 1 }
    enum Action: ModuleAction { case locked }
    enum UI: ModuleAction { case opened }
    enum Internal: ModuleAction { case emptied }

    func reduce(_ state: inout State, _ action: Action) {}
    func reduce(_ state: inout State, ui action: UI) { state.gold = 0 }
    func reduce(_ state: inout State, internal action: Internal) { state.gold = 0 }
}

struct Thief: EffectfulModule {
    struct State: ModuleState { var wishes = 0 }
    enum Action: ModuleAction { case awaited, sent, wished, asked }
    struct Wish: Codable {}

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("thief", "steal") { (_: Wish, context) in
                try await context.dispatch(Safe.Internal.emptied)
            }
        ]
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .awaited: return .run { try await $0.dispatch(Safe.Internal.emptied) }
        case .sent: return .run { $0.send(Safe.UI.opened) }
        case .asked: return .run { try await $0.dispatch(Safe.Action.locked) }
        case .wished:
            state.wishes += 1
            return .none
        }
    }
}

struct ThiefPresenter: Presenter {
    func stateDidUpdate(from old: Thief.State?, to new: Thief.State?, _ context: PresenterContext) {
        if old?.wishes != new?.wishes, old != nil { context.dispatch(Safe.Internal.emptied) }
    }
}

struct Town: RootState {
    var safe = Safe.State()
    var thief = Thief.State()

    static let modules: Modules = [
        Safe().at(\.safe), Thief().at(\.thief).presented(by: ThiefPresenter()),
    ]
}

Server(Town.self).main()
