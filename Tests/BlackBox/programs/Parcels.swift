// A module whose reducer returns effects. Each effect dispatches a note about the states before and
// after its action.

import StoreCore
import StoreServer

struct Parcels: KeepingModule {
    struct State: ModuleState {
        var taken: [String] = []
        var notes: [String] = []
        var lost: [UInt64] = []
    }

    enum Action: ModuleAction {
        /// Is refused the second time.
        case taken(name: String, ms: Int)
        /// Has an effect that does not wait for the action that it dispatches.
        case stamped(times: Int)
    }

    enum Internal: ModuleAction {
        case noted(String)
        case lost(version: UInt64)
    }

    /// Work that is done after a pause.
    enum Work: ModuleWork { case noting(text: String, ms: Int) }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .taken(let name, let ms):
            guard !state.taken.contains(name) else {
                throw Refusal(reason: "It is here already.", pointer: "/name")
            }
            let before = state.taken.count
            state.taken.append(name)
            let note = "\(name): \(before) before, \(state.taken.count) now"
            return keep(.noting(text: note, ms: ms))
        case .stamped(let times):
            return .run { context in
                for time in 0..<times { context.send(Internal.noted("stamp \(time)")) }
            }
        }
    }

    func reduce(_ state: inout State, internal action: Internal) throws -> Effect<State> {
        switch action {
        case .noted("stamp 1"): throw Refusal(reason: "The ink is dry.")
        case .noted(let note): state.notes.append(note)
        case .lost(let version): state.lost.append(version)
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .noting(let text, let ms):
            try await context.sleep(for: .milliseconds(ms))
            try await context.dispatch(Internal.noted(text))
        }
    }

    func interrupted(after version: UInt64) -> Internal? { .lost(version: version) }
}

struct AppState: RootState {
    var parcels = Parcels.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [Parcels().at(\.parcels), PendingEffects().at(\.effects)]
}

Server(AppState.self).main()
