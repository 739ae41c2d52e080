import StoreCore

// The counter of Unicore's introduction, in the words of this package.

struct AppState: Equatable, Sendable {
    let counter: Int
    let step: Int

    static let initial = AppState(counter: 0, step: 1)
}

struct CounterIncreaseRequested: Action {}
struct CounterDecreaseRequested: Action {}
struct StepChangeRequested: Action {
    let step: Int
}
struct ScreenShown: Action {
    let name: String
}
struct Forbidden: Action {}

@Sendable func reduce(_ old: AppState, with action: any Action) -> AppState {
    switch action {
    case let payload as StepChangeRequested:
        return AppState(counter: old.counter, step: payload.step)
    case is CounterIncreaseRequested:
        return AppState(counter: old.counter + old.step, step: old.step)
    case is CounterDecreaseRequested:
        return AppState(counter: old.counter - old.step, step: old.step)
    default:
        return old
    }
}

/// Refuses the actions of one type.
func refuse<A: Action>(_: A.Type, _ action: any Action) throws {
    if action is A { throw Refusal(reason: "Not this one.") }
}

/// Changes a list in place, and refuses an action after a change.
@Sendable func append(_ list: inout [String], _ action: any Action) throws {
    list.append("\(action)")
    if action is Forbidden { throw Refusal(reason: "Not this one.", pointer: "/name") }
}
