public import StoreCore

extension StoreServer {
    /// Returns a server that keeps its history in this journal. The flags `--data` and
    /// `--ephemeral`, and the flags that bound their journals, are then refused, unless another
    /// store of the process needs them.
    ///
    /// ```swift
    /// StoreServer(AppState.self).journal(MemoryJournal()).main()
    /// ```
    ///
    /// The server continues with the history of the journal, and never closes it. Several servers
    /// may share a history, each by a journal of its own (`Journal.watch(_:)`).
    public func journal(_ journal: any Journal) -> StoreServer {
        var server = self
        server.programJournal = ProgramJournal(open: { journal }, isClosedByOpener: false)
        return server
    }

    /// Returns a server that opens its journal when it starts, after the preparations, and closes
    /// it when it stops.
    ///
    /// - Parameter open: opens the journal; it may block. An error ends the start, and its
    ///   description is for the operator.
    /// - Returns: the server with that journal, in place of a journal that the configuration
    ///   chooses.
    public func journal(_ open: @escaping @Sendable () throws -> any Journal) -> StoreServer {
        var server = self
        server.programJournal = ProgramJournal(open: open, isClosedByOpener: true)
        return server
    }
}
