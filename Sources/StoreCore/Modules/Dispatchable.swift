/// An action with a type of its own, which a module lists in ``Module/dispatchables``.
///
/// It is a ``StateUpdater`` or a ``SideEffect``, never both: what changes the state is pure.
public protocol Dispatchable: Action, Codable {}

/// An action that says itself how it changes a slice of the state.
///
/// ```swift
/// struct CompleteItem: StateUpdater {
///     let index: Int
///
///     func updateState(_ state: inout Todos.State) throws {
///         guard state.items.indices.contains(index) else {
///             throw Refusal(reason: "There is no item \(index).", pointer: "/index")
///         }
///         state.items[index].completed = true
///     }
/// }
/// ```
public protocol StateUpdater<State>: Dispatchable {
    /// The slice that it changes: the state of the module that lists it.
    associatedtype State: ModuleState

    /// Changes the slice, or refuses by throwing ``Refusal``. Pure, as a reducer is.
    func updateState(_ state: inout State) throws
}

/// An action that changes nothing itself: it works outside the Core, and dispatches what comes of it.
///
/// ```swift
/// struct Multiply: SideEffect {
///     let a: Int
///     let b: Int
///
///     func sideEffect(_ context: EffectContext<Counter.State>) async throws -> Int {
///         a * b
///     }
/// }
/// ```
///
/// What it returns is the `value` of an answer that waits for it; what it throws is its problem.
public protocol SideEffect<State, Value>: Dispatchable {
    /// The slice that its context shows: the state of the module that lists it.
    associatedtype State: ModuleState
    /// What it returns.
    associatedtype Value: Sendable = Void

    /// Does the work. Several run at the same time.
    func sideEffect(_ context: EffectContext<State>) async throws -> Value
}
