import StoreActionCatalog

extension StoreServer {
    /// The same server, whose process serves another store, too: this one at `/`, the other at
    /// `/stores/<name>`, with all routes that a store has.
    ///
    /// ```swift
    /// StoreServer(Shop.self)
    ///     .adding(StoreServer(Chat.self), named: "chat")
    ///     .main()
    /// ```
    ///
    /// Each store has a history, versions, an epoch, sessions, streams and bounds of its own, and
    /// its actions are applied in one order. They share the listeners, the threads, the places for
    /// connections and streams, the log, whose lines begin with the name, and the file of
    /// analytics, where the name ends the `source`. The history of another store lies in
    /// `stores/<name>` of the data directory; `--state-file` is for the store at `/` alone.
    ///
    /// A store whose journal fails, whose reducer does not end or that can't be prepared takes no
    /// requests; the others go on. `GET /stores` and `GET /readyz` show which it is. Neither ends
    /// the process. The store at `/` has to start, or none does.
    ///
    /// - Parameters:
    ///   - other: the other store. Its name and version are not used, nor are the stores that were
    ///     added to it.
    ///   - name: letters, digits, `-`, `_` and `.`, a letter or digit first, at most 63 in all; not
    ///     `default`. A name that can't be used or is taken keeps the server from starting.
    /// - Returns: the server with one more store.
    public func adding<Other>(
        _ other: StoreServer<Other>,
        named name: String
    ) -> StoreServer {
        var server = self
        server.others.append(AddedStore(name: name, program: other))
        return server
    }
}
