public import StoreCore
public import StorePatterns

extension StoreServer {
    /// The same server, whose actions `interceptor` sees before the reducer does: it may block,
    /// replace or augment them. Interceptors are called in the order in which they were given.
    public func intercepting(_ interceptor: @escaping Interceptor<State>) -> StoreServer {
        var server = self
        server.interceptors.append(interceptor)
        return server
    }

    /// The same server, which dispatches of its own accord: at the start, after changes and
    /// actions, and for notifications, `POST /notify/<name>`.
    public func reacting(_ reactions: Reaction<State>...) -> StoreServer {
        var server = self
        server.reactions += reactions
        return server
    }
}
