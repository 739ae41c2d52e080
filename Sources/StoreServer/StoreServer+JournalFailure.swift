public import StoreCore

extension StoreServer {
    /// The same server, which calls `decide` when its journal has failed: a write or a sync failed,
    /// and it is not known whether the last actions are durable.
    ///
    /// From then on the server applies nothing: requests whose actions were being appended get no
    /// answer, because none would be true, and later ones 503, as `GET /readyz` does. What only
    /// reads is served, and streams stay open. Effects are cancelled. A new start goes on from what
    /// the journal has:
    ///
    /// ```swift
    /// StoreServer(AppState.self).onJournalFailure { error in
    ///     supervisor.restart(because: error)
    /// }
    /// ```
    ///
    /// Without a decision, ``main()`` ends the process with status 74, and a server that was
    /// started with ``start(_:)`` writes an error to its log and goes on as said above
    /// (``RunningServer/journalFailure``).
    ///
    /// - Parameter decide: called once, on a thread of its own; it may stop the server.
    /// - Returns: the server with this decision, in the place of one that was given before.
    public func onJournalFailure(
        _ decide: @escaping @Sendable (_ error: JournalError) -> Void
    ) -> StoreServer {
        var server = self
        server.journalFailureDecision = decide
        return server
    }
}
