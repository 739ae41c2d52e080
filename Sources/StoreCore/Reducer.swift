/// Makes the next state from a state and an action.
///
/// Pure: the same input always gives the same output, and nothing else is read or changed. The Core
/// calls one reducer at a time, so a slow one delays all other actions.
public typealias Reducer<State> = @Sendable (State, any Action) -> State
