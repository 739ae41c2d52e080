public import StoreCore

// The process of a server: its dependencies, its log, and its other stores.

extension Server {
    /// Returns a server that prepares its dependencies before it makes its state.
    ///
    /// ```swift
    /// Server(AppState.self)
    ///     .preparation { dependencies in
    ///         try await dependencies.set(MoviesKey.self, to: MovieDatabase.open("movies.db"))
    ///     }
    ///     .main()
    /// ```
    ///
    /// A start has phases: the server prepares the dependencies, one closure after the other. Next,
    /// the server makes the state from the journal, and adds interceptors and reactions. Then the
    /// server is ready. The server listens from the beginning: `/livez` answers with 200, `/readyz`
    /// with 503, and every other request waits until the server is ready.
    ///
    /// - Parameter prepare: sets dependencies for the effects, and may read dependencies that are
    ///   set already. If the server is stopped during the call, it cancels the task of the closure,
    ///   and does not wait for the task. An error ends the start: ``main()`` ends the process with
    ///   status 69, ``start(_:)`` throws ``PreparationFailure``.
    /// - Returns: the server that calls `prepare` after its earlier preparations.
    public func preparation(
        _ prepare: @escaping @Sendable (inout Dependencies) async throws -> Void
    ) -> Server {
        with { $0.preparations.append(prepare) }
    }

    /// Returns a server that passes the lines for its operator to `write`, and not to standard
    /// error.
    ///
    /// ```swift
    /// Server(AppState.self).log { entry in syslog(entry.level, entry.message) }
    /// ```
    ///
    /// - Parameter write: called for one line after the other, on a thread of its own, so it may
    ///   block. At most 1,024 lines wait. Further lines are lost, and a later line gives their
    ///   number.
    /// - Returns: the server that writes its lines by `write` alone.
    public func log(_ write: @escaping @Sendable (_ entry: LogEntry) -> Void) -> Server {
        with { $0.log = write }
    }

    /// Returns a server whose process also serves another store: this store at `/`, the other at
    /// `/stores/<name>`, with all routes of a store.
    ///
    /// ```swift
    /// Server(Shop.self)
    ///     .store(Server(Chat.self), named: "chat")
    ///     .main()
    /// ```
    ///
    /// Each store has a history, versions, an epoch, sessions, streams and bounds of its own, and
    /// applies its actions in one order. The stores share the listeners, the threads, and the
    /// places for connections and streams. They also share the log and the file of analytics. The
    /// lines of the log begin with the store's name, and the `source` of analytics has that name at
    /// its end. The history of another store lies in `stores/<name>` of the data directory;
    /// `--state-file` is for the store at `/` alone.
    ///
    /// A store applies no actions if its journal fails or its reducer does not end, and refuses all
    /// requests if it can't be started. The other stores continue, and so does the process.
    /// `GET /stores` and `GET /readyz` show the failed store. If the store at `/` can't start, no
    /// store does.
    ///
    /// - Parameters:
    ///   - other: the other store. Its name and version are not used, nor are the stores that were
    ///     added to it.
    ///   - name: letters, digits, `-`, `_` and `.`, a letter or digit first, at most 63 in all; not
    ///     `default`. A duplicate or invalid name keeps the server from starting.
    /// - Returns: the server with one more store.
    public func store<Other>(_ other: Server<Other>, named name: String) -> Server {
        with { $0.others.append((name, other)) }
    }
}
