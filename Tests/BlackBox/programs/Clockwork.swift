// A store whose start and whose effects take as long as a test needs. The variable
// CLOCKWORK_PREPARES is the number of milliseconds of a preparation, `fail` or `forever`. With
// CLOCKWORK_GREETS, the program dispatches an action at the start.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// The motto on the case; there is none before its preparation.
enum MottoKey: DependencyKey {
    static let live: String? = nil
}

struct Alarm: EffectfulModule {
    struct State: ModuleState {
        var motto: String?
        var rung: [String] = []
        var numbers: [UInt64] = []
        var ids: [String] = []
        var times: [Int64] = []
    }

    enum Action: ModuleAction {
        case greeted
        case set(label: String, seconds: Int)
        case drawn(ms: Int)
    }

    enum Internal: ModuleAction {
        case mottoRead(String?)
        case rang(label: String)
        case drew(number: UInt64, id: String, time: Int64)
    }

    struct Seconds: Codable, Sendable {
        let seconds: Int
    }

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("alarm", "wait") { (input: Seconds, context) in
                try await context.sleep(for: .seconds(input.seconds))
                try await context.dispatch(Internal.rang(label: "use case"))
            }
        ]
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .mottoRead(let motto): state.motto = motto
        case .rang(let label): state.rung.append(label)
        case .drew(let number, let id, let time):
            state.numbers.append(number)
            state.ids.append(id)
            state.times.append(time)
        }
        return .none
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .greeted:
            .run { context in
                try await context.dispatch(Internal.mottoRead(context.dependencies[MottoKey.self]))
            }
        case .set(let label, let seconds):
            .run { context in
                try await context.sleep(for: .seconds(seconds))
                try await context.dispatch(Internal.rang(label: label))
            }
        case .drawn(let ms):
            .run { context in
                try await context.sleep(for: .milliseconds(ms))
                let world = context.dependencies
                try await context.dispatch(
                    Internal.drew(number: world.random(), id: world.uuid(), time: world.now)
                )
            }
        }
    }
}

struct AppState: RootState {
    var alarm = Alarm.State()

    static let modules: Modules = [Alarm().at(\.alarm)]
}

struct NoMotto: Error, CustomStringConvertible {
    let description = "there is no motto"
}

func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

let server = Server(AppState.self)
    .preparation { dependencies in
        switch variable("CLOCKWORK_PREPARES") {
        case nil: return
        case "fail": throw NoMotto()
        case "forever":
            // Ignores its cancellation: a stop must not wait for it.
            while true { try? await Task.sleep(for: .seconds(1)) }
        case let ms?: try await Task.sleep(for: .milliseconds(Int(ms) ?? 0))
        }
        dependencies.set(MottoKey.self, to: "Tempus fugit")
    }
    .preparation { dependencies in
        let motto = try dependencies[MottoKey.self]
        dependencies.set(MottoKey.self, to: motto.map { $0 + "." })
    }
let greets = Reaction<AppState>.onStart {
    variable("CLOCKWORK_GREETS") == nil ? nil : Alarm.Action.greeted
}
server.reactions(greets).main()
