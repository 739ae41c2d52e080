package import StoreCore

/// Reduces the action of a version, which came from this session.
package typealias StateReducer<State> =
    @Sendable (inout State, any Action, _ version: UInt64, _ session: String?) throws -> Void

/// The parts of a program that make states of actions: the initial state, the migrations and the
/// reducer.
package struct Program<State: Codable & Equatable & Sendable>: Sendable {
    package let state: State
    package let migrations: [Migration]
    package let reducer: StateReducer<State>
    /// Fills in the copies of shared values, in a state that was decoded and not reduced.
    package let connect: @Sendable (inout State) -> Void

    package init(
        state: State,
        migrations: [Migration],
        reducer: @escaping StateReducer<State>,
        connect: @escaping @Sendable (inout State) -> Void = { _ in }
    ) {
        self.state = state
        self.migrations = migrations
        self.reducer = reducer
        self.connect = connect
    }
}
