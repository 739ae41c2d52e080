public import StoreCore

extension StoreServer {
    /// Returns a server that prepares its dependencies before it makes its state.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .preparing { dependencies in
    ///         try await dependencies.set(MoviesKey.self, to: MovieDatabase.open("movies.db"))
    ///     }
    ///     .main()
    /// ```
    ///
    /// A start has phases: the server prepares the dependencies, one closure after the other. Next,
    /// the server makes the state from the journal, and adds interceptors and reactions. Then the
    /// server is ready. The server listens from the beginning: `/livez` is 200, `/readyz` is 503,
    /// and every other request waits until the server is ready.
    ///
    /// - Parameter prepare: sets dependencies for the effects, and may read dependencies that are
    ///   set already. If the server is stopped meanwhile, it cancels the task of the closure and
    ///   does not wait for it. An error ends the start: ``main()`` ends the process with status 69,
    ///   ``start(_:)`` throws ``PreparationFailure``.
    /// - Returns: the server that calls `prepare` after its earlier preparations.
    public func preparing(
        _ prepare: @escaping @Sendable (inout Dependencies) async throws -> Void
    ) -> StoreServer {
        var server = self
        server.preparations.append(prepare)
        return server
    }
}

/// An error of a start: a dependency could not be prepared.
public struct PreparationFailure: Error, CustomStringConvertible {
    /// The error that the program's own preparation threw.
    public let cause: any Error

    /// A message for the operator, with the cause.
    public var description: String { "the dependencies could not be prepared: \(cause)" }
}
