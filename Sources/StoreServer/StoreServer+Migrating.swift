public import StoreHistory

extension StoreServer {
    /// Returns a server that reads journaled actions of these names by the migrations. Of two
    /// migrations for one name, the first is used.
    public func migrating(_ migrations: Migration...) -> StoreServer {
        var server = self
        server.migrations += migrations
        return server
    }
}
