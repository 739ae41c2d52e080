public import StoreCore

extension StoreServer {
    /// The same server, which keeps history in this journal: the flags `--data` and `--ephemeral`,
    /// and those that bound what they choose, are refused.
    ///
    /// ```swift
    /// StoreServer(AppState.self).journal(MemoryJournal()).main()
    /// ```
    ///
    /// The server goes on from what the journal has, and never closes it. Several servers may share
    /// a history, each by a journal of its own (`Journal.watch(_:)`).
    public func journal(_ journal: any Journal) -> StoreServer {
        var server = self
        server.programJournal = ProgramJournal(open: { journal }, isClosedByOpener: false)
        return server
    }

    /// The same server, which keeps history in a journal that it opens when it starts, after what
    /// is prepared, and closes when it stops.
    ///
    /// - Parameter open: opens the journal; it may take its time. What it throws ends the start,
    ///   and its description is for the operator.
    /// - Returns: the server with that journal, in the place of the one that the configuration
    ///   chooses.
    public func journal(_ open: @escaping @Sendable () throws -> any Journal) -> StoreServer {
        var server = self
        server.programJournal = ProgramJournal(open: open, isClosedByOpener: true)
        return server
    }
}
