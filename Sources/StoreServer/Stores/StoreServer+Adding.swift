import StoreActionCatalog

extension StoreServer {
    /// Returns a server whose process also serves another store: this store at `/`, the other at
    /// `/stores/<name>`, with all routes of a store.
    ///
    /// ```swift
    /// StoreServer(Shop.self)
    ///     .adding(StoreServer(Chat.self), named: "chat")
    ///     .main()
    /// ```
    ///
    /// Each store has a history, versions, an epoch, sessions, streams and bounds of its own, and
    /// applies its actions in one order. The stores share the listeners, the threads, and the
    /// places for connections and streams. They also share the log, whose lines begin with the
    /// name, and the file of analytics, whose `source` ends with the name. The history of another
    /// store lies in `stores/<name>` of the data directory; `--state-file` is for the store at `/`
    /// alone.
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
    public func adding<Other>(
        _ other: StoreServer<Other>,
        named name: String
    ) -> StoreServer {
        var server = self
        server.others.append(AddedStore(name: name, program: other))
        return server
    }
}
