public import StoreHistory

extension StoreServer {
    /// The same server, which reads journaled actions of these names by the migrations. Of two for
    /// one name the first counts.
    public func migrating(_ migrations: Migration...) -> StoreServer {
        var server = self
        server.migrations += migrations
        return server
    }
}
