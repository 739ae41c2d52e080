/// The ports and bounds of a Core.
@dynamicMemberLookup
package struct CoreConfiguration<State: Sendable>: Sendable {
    package typealias Driver = EnginePorts.Driver

    package var ports = EnginePorts()
    /// The sink that encodes and publishes the durable states; `nil` if nothing is published.
    package var sink: (any Sink<State>)?
    /// Compares the states before and after an action, and returns `true` if they differ. Without
    /// this closure, every action counts as a change. Unused for a state of modules: the Core
    /// compares its slices.
    package var changed: (@Sendable (State, State) -> Bool)?
    /// The comparison of the bytes of slices that are equal by `==`. Without it, equal slices count
    /// as the same bytes.
    package var comparison: ByteComparison?
    /// The codec of the effects that outlive the server. Without it, no effect runs again after a
    /// restart.
    package var works: (any WorkCodec)?
    /// Collectors of the slices that accepted actions have written; the writers that encode them
    /// read these.
    package var touched: [EditedModules] = []

    package init() {}

    /// Accesses the ports that do not depend on the state's type.
    package subscript<Value>(dynamicMember member: WritableKeyPath<EnginePorts, Value>) -> Value {
        get { ports[keyPath: member] }
        set { ports[keyPath: member] = newValue }
    }
}

/// A reducer, with the calling form that the program chose.
package enum ReducerForm<State: Sendable>: Sendable {
    case returning(@Sendable (State, any Action) -> State)
    case mutating(@Sendable (inout State, any Action) -> Void)
    case throwing(@Sendable (inout State, any Action) throws -> Void)
    case machine(any StateMachine<State>)
}

/// A function that runs before each reduction. The closure that it returns runs after the commit.
typealias Middleware<State> = @Sendable (State, StampedAction) -> (@Sendable () -> Void)?
