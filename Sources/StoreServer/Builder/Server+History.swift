public import StoreCore
public import StoreHistory

extension Server {
    /// Returns a server that keeps its history in this journal. If all stores of the process have
    /// such journals, the server refuses the flags for its own journals, such as `--data`,
    /// `--ephemeral` and `--retain-age`.
    ///
    /// ```swift
    /// Server(AppState.self).journal(MemoryJournal()).main()
    /// ```
    ///
    /// The server continues the history of the journal, and never closes the journal. Several
    /// servers may share a history if each server has a journal of its own on this history
    /// (`Journal.watch(_:)`).
    public func journal(_ journal: any Journal) -> Server {
        with { $0.openProgramJournal = { OpenJournal(journal) } }
    }

    /// Returns a server that opens its journal at its start, after the preparations, and closes the
    /// journal at its stop.
    ///
    /// - Parameter open: opens the journal; the call may block. If `open` throws an error, the
    ///   start ends, and the log gets the description of the error.
    /// - Returns: the server with that journal, in place of a journal that the configuration
    ///   chooses.
    public func journal(_ open: @escaping @Sendable () throws -> any Journal) -> Server {
        with {
            $0.openProgramJournal = {
                let journal = try open()
                return OpenJournal(journal, close: { journal.close() })
            }
        }
    }

    // Failures

    /// Returns a server that calls `handle` when its journal has failed. After such a failure of a
    /// write or a sync, the server can't find out if the last actions are durable.
    ///
    /// From then on, the server applies no actions. The requests of the last actions get no answer,
    /// because each answer might be false. Later dispatches and `GET /readyz` get 503. The server
    /// continues to serve reads and streams, but cancels effects. A new start continues with the
    /// history of the journal:
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
    /// - Returns: the server with this handler, which replaces an earlier handler.
    public func journalFailureHandler(
        _ handle: @escaping @Sendable (_ error: JournalError) -> Void
    ) -> Server {
        with { $0.journalFailureHandler = handle }
    }

    // Migrations

    /// Returns a server with further migrations. Each migration reads the journaled actions of a
    /// single name. If a name has several migrations, a record is read by the migration for the
    /// record's form. Without such a migration, the server tries the migrations in order, until the
    /// fields of the record fit.
    public func migrations(_ migrations: Migration...) -> Server {
        with { $0.migrations += migrations }
    }
}
