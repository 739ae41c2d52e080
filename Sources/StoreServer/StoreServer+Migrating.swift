public import StoreHistory

extension StoreServer {
    /// The same server, which reads journaled actions of these names as the migrations say. Of two
    /// for one name the first counts.
    public func migrating(_ migrations: Migration...) -> StoreServer {
        var server = self
        server.migrations += migrations
        return server
    }
}
