/// The state of the store that ships: two slices, each with actions and a reducer of its own.
public struct AppState: Codable, Equatable, Sendable {
    /// The counter and the step by which it moves.
    public var counter: CounterState
    /// The list of things to do.
    public var todos: TodosState

    /// Makes a state of its slices; each defaults to its own beginning.
    public init(counter: CounterState = .initial, todos: TodosState = .initial) {
        self.counter = counter
        self.todos = todos
    }

    /// What a fresh store serves before any action.
    public static let initial = AppState()
}
