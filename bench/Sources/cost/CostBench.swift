import Dispatch
import StoreCore

// The work that bench/cost/run counts in process: the same operation `count` times. Two runs with
// different counts differ only by this work.
//
//   cost dispatch <observers> <count>
//   cost module <count>
//   cost contextual-module <count>
//   cost effect <count>

@main
enum CostBench {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        switch (arguments.first, numbers.count) {
        case ("dispatch", 2): dispatch(observers: numbers[0], count: numbers[1])
        case ("module", 1): try actions(count: numbers[0]) { Tally.Action.counted }
        case ("contextual-module", 1):
            try actions(count: numbers[0]) { ContextualTally.Action.counted }
        case ("effect", 1): try effects(count: numbers[0])
        default:
            fatalError(
                """
                usage: cost dispatch <observers> <count>
                       cost module|contextual-module|effect <count>
                """
            )
        }
    }

    private static func dispatch(observers: Int, count: Int) {
        let core = Core<Number>(state: Number(), reducer: reduce)
        for _ in 0..<observers { core.observe { sink($0.value) } }
        for _ in 0..<count { core.dispatch(Increase()) }
    }

    /// Dispatches `count` actions to a module.
    private static func actions(count: Int, of action: () -> any Action) throws {
        let core = try Core(Root())
        for _ in 0..<count { core.dispatch(action()) }
    }

    /// Runs `count` effects. Each effect dispatches one action, and the next effect begins when
    /// this action is applied.
    private static func effects(count: Int) throws {
        let core = try Core(Root())
        let applied = DispatchSemaphore(value: 0)
        core.observe { if $0.echo.answered == $0.echo.asked { applied.signal() } }
        applied.wait()
        for _ in 0..<count {
            core.dispatch(Echo.Action.asked)
            applied.wait()
        }
    }
}

struct Number: Sendable {
    var value = 0
}

struct Increase: Action {}

@Sendable func reduce(_ state: inout Number, _ action: any Action) {
    if action is Increase { state.value &+= 1 }
}

@inline(never) func sink(_ value: Int) {}

struct Root: RootState {
    var echo = Echo.State()
    var tally = Tally.State()
    var contextualTally = ContextualTally.State()
    static let modules: Modules = [
        Echo().at(\.echo), Tally().at(\.tally), ContextualTally().at(\.contextualTally),
    ]
}

struct Tally: Module {
    struct State: ModuleState { var count = 0 }
    enum Action: ModuleAction { case counted }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}

/// The same module, whose reducer gets a context.
struct ContextualTally: ContextualModule {
    struct State: ModuleState { var count = 0 }
    enum Action: ModuleAction { case counted }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) {
        state.count += context.version > 0 ? 1 : 0
    }
}

/// A module whose effect dispatches a second action after each action.
struct Echo: EffectfulModule {
    struct State: ModuleState {
        var asked = 0
        var answered = 0
    }

    enum Action: ModuleAction {
        case asked
        case answered
    }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .asked:
            state.asked += 1
            return .run { try await $0.dispatch(Action.answered) }
        case .answered:
            state.answered += 1
            return .none
        }
    }
}
