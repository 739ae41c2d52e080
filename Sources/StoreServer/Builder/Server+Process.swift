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
    /// A start has phases. First, the server calls these closures one after the other. Next, the
    /// server makes the state from the journal, and adds interceptors and reactions. Then the
    /// server is ready. The server listens from the beginning. Until the server is ready, `/livez`
    /// answers with 200, `/readyz` answers with 503, and every other request waits.
    ///
    /// - Parameter prepare: sets dependencies for the effects, and may read dependencies that were
    ///   set earlier. If the server is stopped during the call, the server cancels the task of the
    ///   closure, and does not wait for the task. An error ends the start: ``main()`` ends the
    ///   process with status 69, ``start(_:)`` throws ``PreparationFailure``.
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
    /// - Parameter write: called with one line after the other, on a thread of its own, so `write`
    ///   may block. At most 1,024 lines wait; the log drops further lines, and a later line has the
    ///   number of dropped lines.
    /// - Returns: the server that passes its lines only to `write`.
    public func log(_ write: @escaping @Sendable (_ entry: LogEntry) -> Void) -> Server {
        with { $0.writeLogEntry = write }
    }

    /// Returns a server that also serves another store. The store of this server is at `/`, the
    /// other store is at `/stores/<name>`, and both have all routes of a store.
    ///
    /// ```swift
    /// Server(Shop.self)
    ///     .store(Server(Chat.self), named: "chat")
    ///     .main()
    /// ```
    ///
    /// Each store has a history, versions, an epoch, sessions, streams and bounds of its own, and
    /// applies its actions in one order. The stores share the listeners, the threads, and the
    /// bounds on connections and streams. The stores also share the log and the file of analytics.
    /// A line of the log begins with the name of its store, and the `source` of an analytics event
    /// ends with this name. The history of another store is in `stores/<name>` of the data
    /// directory; `--state-file` is only for the store at `/`.
    ///
    /// A store in memory (``ephemeral(actionsMax:pace:)``) has no history on disk, and uses the
    /// sessions of the store at `/`.
    ///
    /// A store applies no actions if its journal has failed, or if its reducer does not end. A
    /// store that can't start refuses all requests. The process and the other stores continue. `GET
    /// /stores` and `GET /readyz` show the failed store. But if the store at `/` can't start, the
    /// server does not start.
    ///
    /// - Parameters:
    ///   - other: the other store. The options of `other` join those of this server. The name and
    ///     the version of `other` are not used, and the stores that were added to `other` are not
    ///     served.
    ///   - name: letters, digits, `-`, `_` and `.`, a letter or digit first, at most 63 in all; not
    ///     `default`. With a duplicate or invalid name, the server does not start.
    /// - Returns: the server with one more store.
    public func store<Other>(_ other: Server<Other>, named name: String) -> Server {
        with { $0.otherStores.append((name, other)) }
    }
}
