/// The ports and bounds of a Core.
@dynamicMemberLookup
package struct CoreConfiguration<State: Sendable>: Sendable {
    package typealias Driver = EnginePorts.Driver

    package var ports = EnginePorts()
    /// Encodes and publishes what becomes durable.
    package var sink: (any Sink<State>)?
    /// Compares the states before and behind an action; `true` where they differ. Without it every
    /// action counts as a change. Not called for a state of modules: there the slices are compared.
    package var changed: (@Sendable (State, State) -> Bool)?
    /// Decides whether slices that are equal by `==` have the same bytes; without it they have.
    package var comparison: ByteComparison?
    /// Encodes the effects that outlive the server; without it none is run again.
    package var works: (any WorkCodec)?
    /// Collect the slices that accepted actions have written, for the writer that encodes them.
    package var touched: [TouchedModules] = []

    package init() {}

    /// The ports that have nothing to do with the state's type.
    package subscript<Value>(dynamicMember member: WritableKeyPath<EnginePorts, Value>) -> Value {
        get { ports[keyPath: member] }
        set { ports[keyPath: member] = newValue }
    }
}

/// A reducer in the form in which it was given.
package enum ReducerForm<State: Sendable>: Sendable {
    case returning(@Sendable (State, any Action) -> State)
    case mutating(@Sendable (inout State, any Action) -> Void)
    case throwing(@Sendable (inout State, any Action) throws -> Void)
    case machine(any StateMachine<State>)
}

/// What runs before each reduce; what it returns runs after the commit.
typealias Middleware<State> = @Sendable (State, StampedAction) -> (@Sendable () -> Void)?
