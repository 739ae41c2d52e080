// Programs write `import StoreHTTPClient`. The client itself is in `StoreCurl`, which does not
// import the engine. So programs without a store can use the client, too.
public import StoreCore
@_exported public import StoreCurl

/// The key of the client for effects: `try context.dependencies.http`.
public enum HTTPClientKey: DependencyKey {
    /// A single client for all effects, with libcurl; its thread starts when the client is first
    /// used.
    public static let live: any HTTPClient = CurlClient()
}

extension Dependencies {
    /// The client that sends requests to HTTP servers. A test must set ``HTTPClientKey``, or the
    /// access throws an error.
    public var http: any HTTPClient {
        get throws { try self[HTTPClientKey.self] }
    }
}
