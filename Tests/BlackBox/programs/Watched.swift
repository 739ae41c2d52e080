import StoreCore
import StorePatterns
import StoreServer

/// A diary with interceptors before its reducer, and reactions to its changes.
struct Diary: Module {
    struct State: ModuleState {
        var lines: [String] = []
        var asked = 0
    }

    enum Action: ModuleAction {
        case written(text: String)
        case noted(by: String)
        case asked
        case burned
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .written(let text): state.lines.append(text)
        case .noted(let name): state.lines.append("noted by \(name)")
        case .asked: state.asked += 1
        case .burned: state.lines = []
        }
    }
}

struct AppState: RootState {
    var diary = Diary.State()

    static let modules: Modules = [Diary().at(\.diary)]
}

/// Adds a note after each text of three words.
func note(_ name: String) -> Interceptor<AppState> {
    { _, action, _ in
        guard case .written("one two three") = action as? Diary.Action else {
            return .proceed
        }
        return .follow(with: Diary.Action.noted(by: name))
    }
}

struct Bell: Codable, Sendable { let rings: Int }

Server(AppState.self)
    .interceptor(note("1"))
    .interceptor(note("2"))
    .interceptor(note("3"))
    .interceptor { _, action, _ in
        switch action as? Diary.Action {
        case .burned: throw Refusal.forbidden("Diaries don't burn.")
        case .written("secret"): return .replace(with: Diary.Action.written(text: "…"))
        default: return .proceed
        }
    }
    .reactions(
        .onStart { Diary.Action.noted(by: "start") },
        .onStateChange { old, new in
            new.diary.lines.count == 3 && old.diary.lines.count == 2
                ? Diary.Action.noted(by: "change") : nil
        },
        .onDispatch(of: Diary.Action.self) { action, _, _ in
            action == .asked ? Diary.Action.noted(by: "dispatch") : nil
        },
        .onNotification("bell", as: Bell.self) { bell in
            bell.rings > 0 ? Diary.Action.noted(by: "bell") : nil
        }
    )
    .main()
