// A store whose work continues after a restart. Each comment has a webhook, and an hourly timer
// runs from the first action on. When work begins, it logs the number of actions that this process
// has reduced.

import Glibc
import StoreCore
import StoreServer
import Synchronization

/// The number of actions of comments that this process has reduced, in a replay or not.
let reduced = Atomic(0)

struct Comments: KeepingModule {
    struct State: ModuleState {
        var count = 0
        var hooks: [String] = []
        var lost: [UInt64] = []
    }

    enum Action: ModuleAction {
        case written
        /// Has a webhook, which takes an hour if HOOKS_HELD is set.
        case hooked
        case timed
        /// Has an input that can't be encoded.
        case weighed
    }

    enum Internal: ModuleAction {
        case sent(String)
        case lost(version: UInt64)
    }

    enum Work: ModuleWork {
        case webhook(Hook)
        case timer(seconds: Int)
        case weighing(Double)
    }

    /// Has another form if HOOKS_RENAMED is set, as after a deploy.
    struct Hook: Codable, Equatable, Sendable {
        let comment: Int

        init(comment: Int) { self.comment = comment }

        enum CodingKeys: String, CodingKey { case comment, target }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if getenv("HOOKS_RENAMED") != nil {
                _ = try container.decode(String.self, forKey: .target)
            }
            comment = try container.decode(Int.self, forKey: .comment)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(comment, forKey: .comment)
        }
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        reduced.add(1, ordering: .relaxed)
        switch action {
        case .written: state.count += 1
        case .hooked:
            state.count += 1
            return keep(.webhook(Hook(comment: state.count)))
        case .timed: return keep(.timer(seconds: 3_600), id: "timer")
        case .weighed:
            state.count += 1
            return keep(.weighing(.nan))
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .sent(let hook): state.hooks.append(hook)
        case .lost(let version): state.lost.append(version)
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .webhook(let hook):
            if getenv("HOOKS_HELD") != nil { try await context.sleep(for: .seconds(3_600)) }
            let text = "comment \(hook.comment), \(reduced.load(ordering: .relaxed)) reduced"
            try await context.dispatch(Internal.sent(text))
        case .timer(let seconds): try await context.sleep(for: .seconds(seconds))
        case .weighing: break
        }
    }

    func interrupted(after version: UInt64) -> Internal? { .lost(version: version) }
}

struct AppState: RootState {
    var comments = Comments.State()
    var effects = PendingEffects.State()

    static let modules: Modules = [Comments().at(\.comments), PendingEffects().at(\.effects)]
}

Server(AppState.self).main()
