import StoreCore
import StorePatterns

/// A slice of each user, with timers of its own. A visitor that signs in takes its coins along.
struct Purse: ContextualModule, AdoptingModule {
    struct State: ModuleState {
        var coins = 0
        /// The user and the version of the last action, which the naive model computes, too.
        var seal = ""
    }

    enum Action: ModuleAction {
        case earned(note: String, coins: Int)
        case spent(note: String, coins: Int)
        /// An action that leaves the slice as it is.
        case counted(note: String)
        /// Sets a timer, and leaves the slice as it is.
        case lent(note: String, seconds: Int)
    }

    enum Internal: ModuleAction {
        case repaid
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        state.coins += 1
        return .none
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        switch action {
        case .earned(_, let coins):
            state.coins += coins
            state.seal = "\(context.version) \(context.principal?.description ?? "a visitor")"
        case .spent(_, let coins):
            state.coins -= coins
            guard state.coins >= 0 else { throw Refusal(reason: "The purse is empty.") }
            state.seal = ""
        case .counted: break
        case .lent(_, let seconds):
            return .after(.seconds(seconds), id: "loan", Internal.repaid)
        }
        return .none
    }

    func adopt(_ visitor: State, into user: inout State) { user.coins += visitor.coins }
}
