/// Makes the next state from a state and an action.
///
/// Pure: the same input always gives the same output, and nothing else is read or touched. It runs
/// alone, so whatever blocks it blocks everyone.
public typealias Reducer<State> = @Sendable (State, any Action) -> State
