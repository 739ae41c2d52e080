public import StoreCore

extension StoreServer {
    /// Returns a server that calls `decide` when its journal has failed. A write or a sync failed
    /// then, and it is unknown if the last actions are durable.
    ///
    /// From then on the server applies nothing. Requests whose actions were being appended get no
    /// answer, because none would be true. Later dispatches and `GET /readyz` get 503. Reads are
    /// served, and streams stay open. Effects are cancelled. A new start continues with the history
    /// of the journal:
    ///
    /// ```swift
    /// StoreServer(AppState.self).onJournalFailure { error in
    ///     supervisor.restart(because: error)
    /// }
    /// ```
    ///
    /// Without a decision, ``main()`` ends the process with status 74 if it serves one store. A
    /// server that was started with ``start(_:)``, or that serves several stores, writes an error
    /// to its log and continues as described above (``RunningServer/journalFailure``).
    ///
    /// - Parameter decide: called once, on a thread of its own; it may stop the server.
    /// - Returns: the server with this decision, which replaces an earlier one.
    public func onJournalFailure(
        _ decide: @escaping @Sendable (_ error: JournalError) -> Void
    ) -> StoreServer {
        var server = self
        server.journalFailureDecision = decide
        return server
    }
}
