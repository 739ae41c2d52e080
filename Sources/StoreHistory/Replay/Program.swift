package import StoreCore

/// What makes states of actions: the first state, how older records are read, and the reducer.
package struct Program<State: Codable & Equatable & Sendable>: Sendable {
    package let state: State
    package let migrations: [Migration]
    /// Reduces the action of a version.
    package let reducer: @Sendable (inout State, any Action, UInt64) throws -> Void

    package init(
        state: State,
        migrations: [Migration],
        reducer: @escaping @Sendable (inout State, any Action, UInt64) throws -> Void
    ) {
        self.state = state
        self.migrations = migrations
        self.reducer = reducer
    }
}
