public import StoreCore
public import StoreHistory

extension Server {
    /// Returns a server that keeps its history in this journal. The server then refuses `--data`,
    /// `--ephemeral` and the flags that bound the server's own journals, if no other store of the
    /// process needs these flags.
    ///
    /// ```swift
    /// Server(AppState.self).journal(MemoryJournal()).main()
    /// ```
    ///
    /// The server continues with the history of the journal, and never closes it. Several servers
    /// may share a history, each by a journal of its own (`Journal.watch(_:)`).
    public func journal(_ journal: any Journal) -> Server {
        with { $0.programJournal = { OpenJournal(journal) } }
    }

    /// Returns a server that opens its journal when it starts, after the preparations, and closes
    /// it when it stops.
    ///
    /// - Parameter open: opens the journal; it may block. An error ends the start, and its
    ///   description is for the operator.
    /// - Returns: the server with that journal, in place of a journal that the configuration
    ///   chooses.
    public func journal(_ open: @escaping @Sendable () throws -> any Journal) -> Server {
        with {
            $0.programJournal = {
                let journal = try open()
                return OpenJournal(journal, close: { journal.close() })
            }
        }
    }

    // Failures

    /// Returns a server that calls `handle` when its journal has failed. A write or a sync failed
    /// then, and it is unknown if the last actions are durable.
    ///
    /// From then on the server applies nothing. Requests whose actions were being appended get no
    /// answer, because none would be true. Later dispatches and `GET /readyz` get 503. Reads are
    /// served, and streams stay open. Effects are cancelled. A new start continues with the history
    /// of the journal:
    ///
    /// ```swift
    /// Server(AppState.self).journalFailureHandler { error in
    ///     supervisor.restart(because: error)
    /// }
    /// ```
    ///
    /// Without a handler, ``main()`` ends the process with status 74 if the process serves one
    /// store. A server that was started with ``start(_:)``, or that serves several stores, writes
    /// an error to its log and continues as described above (``RunningServer/journalFailure``).
    ///
    /// - Parameter handle: called once, on a thread of its own; it may stop the server.
    /// - Returns: the server with this handler, which replaces an earlier one.
    public func journalFailureHandler(
        _ handle: @escaping @Sendable (_ error: JournalError) -> Void
    ) -> Server {
        with { $0.journalFailureHandler = handle }
    }

    // Migrations

    /// Returns a server with further migrations, each of which reads the journaled actions of one
    /// name. If a name has several migrations, the migration from a record's own form reads the
    /// record. If there is no such migration, the first migration that fits reads the record.
    public func migrations(_ migrations: Migration...) -> Server {
        with { $0.migrations += migrations }
    }
}
