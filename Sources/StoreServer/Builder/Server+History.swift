import StoreCommandLine
public import StoreCore
import StoreHTTP
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

    /// Returns a server that keeps its history only in memory. The store has no files, and each
    /// start of the process begins a new history, under a new epoch. Use such a store beside a
    /// store on disk, for data that matters only while clients are connected, such as
    /// `Whereabouts`:
    ///
    /// ```swift
    /// Server(Boards.self)
    ///     .store(Server(Live.self).ephemeral(), named: "live")
    ///     .main()
    /// ```
    ///
    /// Beside a store at `/`, the store in memory has the same clients, with the same cookies,
    /// credentials and sessions. If its root state mounts `Sessions`, a session begins in the store
    /// in memory with the first request there. The session ends together with the session of the
    /// store at `/`.
    ///
    /// A stream of the state gets at most one event within `pace`. After a time without changes,
    /// the first change is sent at once. If more changes follow, the newest state is sent when
    /// `pace` is over.
    ///
    /// Answers to requests always have the newest state, and the stream of the log has all actions.
    ///
    /// - Parameters:
    ///   - actionsMax: the number of actions in the history, 1 to 10,000,000. The oldest actions
    ///     are dropped.
    ///   - pace: the shortest time between two events of a stream, 0 to 60 seconds.
    /// - Returns: the server without a journal on disk. With a bound that is not allowed, or with a
    ///   journal of the program's own, the server does not start.
    public func ephemeral(actionsMax: Int = 10_000, pace: Duration = .seconds(1)) -> Server {
        with { $0.memoryHistory = MemoryHistory(actionsMax: actionsMax, pace: pace) }
    }

    // Failures

    /// Returns a server that calls `handle` when its journal has failed. After a failed write or
    /// sync, the server can't find out if the last actions are durable.
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
    /// store. A server that was started with ``start(_:)`` or serves several stores writes an error
    /// to its log and continues as described above (``RunningServer/journalFailure``).
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
    /// record's form. If no migration is for this form, the server tries all migrations of the name
    /// in order, until the fields of the record fit.
    public func migrations(_ migrations: Migration...) -> Server {
        with { $0.migrations += migrations }
    }
}

/// The bounds of a history in memory (``Server/ephemeral(actionsMax:pace:)``).
struct MemoryHistory: Sendable {
    static let actionsMaxRange = 1...10_000_000
    static let paceRange: ClosedRange<Duration> = .zero ... .seconds(60)

    let actionsMax: Int
    let pace: Duration

    /// Refuses bounds that can't be used.
    func check() throws(ConfigurationError) {
        guard Self.actionsMaxRange.contains(actionsMax) else {
            throw ConfigurationError(
                "a history in memory of \(actionsMax) actions is not allowed; allowed are 1 to "
                    + "10000000"
            )
        }
        guard Self.paceRange.contains(pace) else {
            throw ConfigurationError(
                "a pace of \(pace) is not allowed; allowed are 0 to 60 seconds"
            )
        }
    }
}

extension Server {
    /// Returns the configuration of this store at `links`, with the settings that the program
    /// declares for the store.
    func storeConfiguration(
        _ configuration: ServerConfiguration,
        at links: Links
    ) -> ServerConfiguration {
        var own = configuration.forStore(links)
        guard let memoryHistory else { return own }
        own.history.ephemeral = true
        own.history.memoryActionsMax = memoryHistory.actionsMax
        return own
    }
}
