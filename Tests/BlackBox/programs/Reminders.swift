// Reminders: timers that are due once, again and again, and each day.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// A list with reminders.
struct Reminders: ContextualModule {
    struct State: ModuleState {
        var rung: [String] = []
        var times: [Int64] = []
    }

    enum Action: ModuleAction {
        case set(label: String, ms: Int)
        case setAt(label: String, time: Int64)
        case repeated(label: String, seconds: Int, missed: MissedTimer)
        case daily(label: String, time: TimeOfDay)
        case cancelled(label: String)
        case refused(label: String)
        /// Sets a timer for an action of another module.
        case foreign
        /// Sets a timer with an id that is too long.
        case nameless
    }

    enum Internal: ModuleAction {
        case rang(label: String)
        case failed(label: String)
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .set(let label, let ms):
            return .after(.milliseconds(ms), id: label, Internal.rang(label: label))
        case .setAt(let label, let time):
            return .at(time, id: label, Internal.rang(label: label))
        case .repeated(let label, let seconds, let missed):
            return .every(
                .seconds(seconds),
                id: label,
                Internal.rang(label: label),
                missed: missed
            )
        case .daily(let label, let time):
            return .daily(at: time, id: label, Internal.rang(label: label), missed: .skipped)
        case .cancelled(let label): return .cancel(id: label)
        case .refused(let label):
            return .after(.seconds(1), id: label, Internal.failed(label: label))
        case .foreign: return .after(.seconds(1), id: "foreign", Note.Action.written(text: "x"))
        case .nameless: return .after(.seconds(1), id: "", Internal.rang(label: "nameless"))
        }
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        throws -> Effect<State>
    {
        switch action {
        case .rang(let label):
            state.rung.append(label)
            state.times.append(context.time)
        case .failed: throw Refusal(reason: "Nobody is at home.")
        }
        return .none
    }
}

/// A note that expires.
struct Note: EffectfulModule, StartableModule {
    struct State: ModuleState {
        var text = ""
    }

    enum Action: ModuleAction { case written(text: String) }
    enum Internal: ModuleAction { case expired }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .written(let text):
            state.text = text
            return .after(.seconds(10), id: "expiry", Internal.expired)
        }
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.text = "expired"
        return .none
    }
}

/// A module with two declared timers: to clean up each day, and to look every ten seconds. The
/// variable REMINDERS_LOOKS is another number of seconds, or 0 for no looks.
struct Cleaning: ScheduledModule {
    struct State: ModuleState {
        var done: [String] = []
    }

    enum Action: ModuleAction { case noted }
    enum Internal: ModuleAction { case cleaned, looked }

    var timers: [DeclaredTimer<Internal>] {
        let seconds = ProcessInfo.looks
        return [.daily(at: TimeOfDay(hour: 3), id: "clean", .cleaned)]
            + (seconds > 0
                ? [.every(.seconds(seconds), id: "look", .looked, missed: .skipped)] : [])
    }

    func reduce(_ state: inout State, _ action: Action) { state.done.append("noted") }

    func reduce(_ state: inout State, internal action: Internal) {
        state.done.append(action == .cleaned ? "cleaned" : "looked")
    }
}

enum ProcessInfo {
    static var looks: Int { getenv("REMINDERS_LOOKS").flatMap { Int(String(cString: $0)) } ?? 10 }
}

struct AppState: RootState {
    var reminders = Reminders.State()
    var notes = Instances<Note.State>()
    var own = PerPrincipal(Own.State())
    var users = PerPrincipal(Users.State())
    var cleaning = Cleaning.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Reminders().at(\.reminders), Note().at(\.notes).lifecycle(.everybody), Own().at(\.own),
        Cleaning().at(\.cleaning), Users().at(\.users), Schedule().at(\.schedule),
    ]
}

/// The alarms of a user.
struct Own: EffectfulModule {
    struct State: ModuleState {
        var woken = 0
    }

    enum Action: ModuleAction { case slept }
    enum Internal: ModuleAction { case woken }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        .every(.seconds(5), id: "nap", Internal.woken, missed: .each)
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.woken += 1
        return .none
    }
}

Server(AppState.self)
    .main()
