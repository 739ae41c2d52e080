public import StoreCore

extension StoreServer {
    /// The same server, which prepares what it needs of the world before its store is there.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .preparing { dependencies in
    ///         try await dependencies.set(MoviesKey.self, to: MovieDatabase.open("movies.db"))
    ///     }
    ///     .main()
    /// ```
    ///
    /// A start has phases: the dependencies are prepared, one closure after the other; the state is
    /// made of the journal; interceptors and reactions join; then the server is ready. It listens
    /// from the beginning: `/livez` is 200 and `/readyz` 503, and whatever else comes waits, to be
    /// answered when the server is ready.
    ///
    /// - Parameter prepare: sets dependencies, which effects then have, and may read those that are
    ///   set. A server that is stopped meanwhile cancels its task and does not wait for it. What it
    ///   throws ends the start: ``main()`` ends the process with status 69, ``start(_:)`` throws
    ///   ``PreparationFailure``.
    /// - Returns: the server that prepares this behind what it prepares already.
    public func preparing(
        _ prepare: @escaping @Sendable (inout Dependencies) async throws -> Void
    ) -> StoreServer {
        var server = self
        server.preparations.append(prepare)
        return server
    }
}

/// What a server needs of the world could not be prepared, so it did not start.
public struct PreparationFailure: Error, CustomStringConvertible {
    /// What the program's own preparation threw.
    public let cause: any Error

    /// The cause in its own words.
    public var description: String { "the dependencies could not be prepared: \(cause)" }
}
