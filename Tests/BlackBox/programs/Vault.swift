// A store that keeps a secret for each way of dispatching, and whose actions have every form of an
// enum. VAULT names a program with a defect that keeps it from starting.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// The secret that the tests look for. Only clients and the program itself may see it.
let code = "open-sesame-4711"

/// Doors, and their visitors. The actions that open a door carry a code, which is never kept.
struct Doors: EffectfulModule {
    struct State: ModuleState {
        /// The visitors, each with a mark if the reducer found a code.
        var visits: [String] = []
    }

    enum Action: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case opened(by: String, code: String?)
        case knocked(by: String)
    }

    enum UI: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case entered(by: String, code: String?)
    }

    enum Internal: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case unlocked(by: String, code: String?)
    }

    struct Call: Codable, Sendable { let by: String }

    static let dispatchables: [any Dispatchable.Type] = [Forced.self, Keyed.self]

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("doors", "unlock") { (call: Call, context) in
                try await context.dispatch(Internal.unlocked(by: call.by, code: code))
            },
            UseCaseMethod("doors", "jam") { (_: Call, _) in throw Jammed() },
            UseCaseMethod("doors", "try") { (key: Keyed.Key, context) in
                try await context.dispatch(Internal.unlocked(by: "\(key.teeth)", code: nil))
            },
        ]
    }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .opened(let name, let code):
            state.note(name, code)
            return .none
        case .knocked("brute"): throw Jammed()
        case .knocked(let name):
            state.note(name, nil)
            return errand(of: name)
        }
    }

    func reduce(_ state: inout State, ui action: UI) -> Effect<State> {
        switch action {
        case .entered(let name, let code): state.note(name, code)
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .unlocked(let name, let code): state.note(name, code)
        }
        return .none
    }

    private func errand(of name: String) -> Effect<State> {
        switch name {
        case "effect":
            .run { context in
                try await context.dispatch(Internal.unlocked(by: "effect", code: code))
            }
        case "whole":
            .run { context in try await context.dispatch(Forced(by: "whole", code: code)) }
        case "safe":
            .run { context in
                try await context.dispatch(Safes.start.to("7"))
                try await context.dispatch(Safes.Action.turned(by: "safe", code: code).to("7"))
                try await context.dispatch(Emptied(by: "safe", code: code).to("7"))
            }
        case "oil":
            .run { context in
                try await context.dispatch(Machine.Action.oiled)
                try await context.dispatch(Machine.Action.oiled.to("nothing"))
            }
        case "stranger":
            .run { context in try await context.dispatch(Stranger()) }
        case "jam":
            .run { _ in throw Jammed() }
        default: .none
        }
    }
}

extension Doors.State {
    mutating func note(_ name: String, _ code: String?) {
        visits.append(code == nil ? name : "\(name) with a code")
    }
}

/// A secretive action with a type of its own.
struct Forced: RedactedAction, StateUpdater {
    static let secrets = ["code"]
    let by: String
    let code: String?

    func updateState(_ state: inout Doors.State) { state.note(by, code) }
}

/// An action whose payload has code of its own. The code throws an error for the log alone, or a
/// `DecodingError` that a client may read.
struct Keyed: StateUpdater, Codable {
    let key: Key

    struct Key: Codable, Equatable, Sendable {
        let teeth: Int

        init(from decoder: any Decoder) throws {
            teeth = try decoder.singleValueContainer().decode(Int.self)
            guard teeth != 13 else { throw Jammed() }
            guard teeth < 100 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "A key has few teeth.")
                )
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(teeth)
        }
    }

    func updateState(_ state: inout Doors.State) { state.note("key \(key.teeth)", nil) }
}

/// An action that no module lists.
struct Stranger: Action {}

/// An error that is no refusal: a defect of the program, whose description is for the log alone.
struct Jammed: Error, CustomStringConvertible {
    var description: String { "rust on bolt 9" }
}

/// A module with several instances.
struct Safes: StartableModule {
    struct State: ModuleState {
        var turns: [String] = []
    }

    enum Action: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case turned(by: String, code: String?)
    }

    static let dispatchables: [any Dispatchable.Type] = [Emptied.self]

    func begin(_ start: NoFields) -> State { State() }

    func begin(_ start: NoFields, over old: State) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .turned(let name, let code):
            state.turns.append(code == nil ? name : "\(name) with a code")
        }
    }
}

struct Emptied: RedactedAction, StateUpdater {
    static let secrets = ["code"]
    let by: String
    let code: String?

    func updateState(_ state: inout Safes.State) {
        state.turns.append(code == nil ? "emptied" : "emptied with a code")
    }
}

/// A module whose actions are texts, in the code and on the wire.
struct Machine: Module {
    struct State: ModuleState {
        var oiled = 0
        var cleaned = 0
    }

    enum Action: String, ModuleAction {
        case oiled
        case cleaned = "wiped"
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .oiled: state.oiled += 1
        case .cleaned: state.cleaned += 1
        }
    }
}

/// A module with some whole names on the wire.
struct Lever: EffectfulModule {
    struct State: ModuleState {
        var angle = 0
        var resets = 0
    }

    enum Action: ModuleAction {
        case moveRequested(by: Int)
        case resetRequested
        case oiled

        enum CodingKeys: String, CodingKey {
            case moveRequested = "/MoveRequested"
            case resetRequested = "/ResetRequested"
            case oiled
        }
    }

    enum Internal: String, ModuleAction { case reset = "/LeverReset" }

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        switch action {
        case .moveRequested(let degrees):
            guard abs(degrees) < 90 else { throw Refusal(reason: "It breaks.", pointer: "/by") }
            state.angle += degrees
        case .resetRequested:
            return .run { context in try await context.dispatch(Internal.reset) }
        case .oiled: break
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        state.angle = 0
        state.resets += 1
        return .none
    }
}

/// The links that move the lever up and reset it.
struct LeverViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Lever.self]

    let up: ActionLink
    let reset: ActionLink

    init?(state: AppState) {
        up = ActionLink(Lever.Action.moveRequested(by: 5))
        reset = ActionLink(Lever.Action.resetRequested)
    }
}

/// Opens a door after the visit `present`.
struct DoorsPresenter: Presenter {
    func stateDidUpdate(from old: Doors.State?, to new: Doors.State?, _ context: PresenterContext) {
        guard new?.visits.last == "present", new?.visits.count != old?.visits.count else { return }
        context.dispatch(Doors.Internal.unlocked(by: "presenter", code: code))
    }
}

struct AppState: RootState {
    var doors = Doors.State()
    var safes = Instances<Safes.State>()
    var machine = Machine.State()
    var lever = Lever.State()

    static let modules: Modules = [
        Doors().at(\.doors).presented(by: DoorsPresenter()),
        Safes().at(\.safes).lifecycle(.everybody),
        Machine().at(\.machine), Lever().at(\.lever),
    ]
    static let views: Views = [LeverViewModel.self]
}

// Programs with a defect.

struct Numbered: Module {
    struct State: ModuleState { var value = 0 }
    enum Action: Int, ModuleAction { case raised, lowered }
    func reduce(_ state: inout State, _ action: Action) { state.value += 1 }
}

struct NumberedState: RootState {
    var numbered = Numbered.State()
    static let modules: Modules = [Numbered().at(\.numbered)]
}

struct Forgetful: RootState {
    var machine = Machine.State()
    var notes = ["lost"]
    static let modules: Modules = [Machine().at(\.machine)]
}

struct Needy: Module {
    struct State: ModuleState { var value = 0 }
    enum Action: RedactedAction, ModuleAction {
        static let secrets = ["code"]
        case opened(code: String)
    }
    func reduce(_ state: inout State, _ action: Action) { state.value += 1 }
}

struct NeedyState: RootState {
    var needy = Needy.State()
    static let modules: Modules = [Needy().at(\.needy)]
}

/// A module whose actions have the names `Names`.
struct Named<Names: ModuleAction>: Module {
    typealias Action = Names
    struct State: ModuleState { var value = 0 }
    static var name: String { "named" }
    static var dispatchables: [any Dispatchable.Type] { [Raised<Names>.self] }
    func reduce(_ state: inout State, _ action: Names) { state.value += 1 }
}

struct Raised<Names: ModuleAction>: StateUpdater {
    func updateState(_ state: inout Named<Names>.State) { state.value += 1 }
}

enum Far: String, ModuleAction { case moved = "/lever/moved" }
enum Nameless: String, ModuleAction { case moved = "/" }
enum Taken: String, ModuleAction { case moved = "/Raised<Taken>" }
enum Whole: String, ModuleAction { case moved = "/Moved" }

struct NamedState<Names: ModuleAction>: RootState {
    var named = Named<Names>.State()
    static var modules: Modules { [Named<Names>().at(\.named)] }
}

struct ManyNamed: RootState {
    var named = Instances<Named<Whole>.State>()
    static let modules: Modules = [Crowd().at(\.named)]
}

struct Crowd: StartableModule {
    typealias State = Named<Whole>.State
    typealias Action = Whole
    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Whole) { state.value += 1 }
}

struct Shown: Module {
    struct State: ModuleState { var value = 0 }
    typealias UI = Whole
    func reduce(_ state: inout State, ui action: Whole) { state.value += 1 }
}

struct ShownState: RootState {
    var shown = Shown.State()
    static let modules: Modules = [Shown().at(\.shown)]
}

switch getenv("VAULT").map({ String(cString: $0) }) {
case "numbered": Server(NumberedState.self).main()
case "forgetful": Server(Forgetful.self).main()
case "needy": Server(NeedyState.self).main()
case "far": Server(NamedState<Far>.self).main()
case "nameless": Server(NamedState<Nameless>.self).main()
case "taken": Server(NamedState<Taken>.self).main()
case "many": Server(ManyNamed.self).main()
case "shown": Server(ShownState.self).main()
default:
    Server(AppState.self)
        .interceptor { _, action, _ in
            switch action as? Doors.Action {
            case .knocked("replace"):
                .replace(with: Doors.Internal.unlocked(by: "replacement", code: code))
            case .knocked("follow"):
                .follow(with: Doors.Internal.unlocked(by: "follower", code: code))
            default: .proceed
            }
        }
        .reactions(
            .onDispatch(of: Doors.Action.self) { action, _, _ in
                action == .knocked(by: "react")
                    ? Doors.Internal.unlocked(by: "reaction", code: code) : nil
            }
        )
        .main()
}
