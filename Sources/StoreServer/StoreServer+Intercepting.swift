public import StoreCore
public import StorePatterns

extension StoreServer {
    /// The same server, whose actions `interceptor` sees before the reducer does: it may block,
    /// replace or augment them. Interceptors are called in the order in which they were given.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .intercepting("opening hours") { state, _ in
    ///         guard state.shop.isOpen else { throw Refusal.forbidden("The shop is closed.") }
    ///         return .proceed
    ///     }
    ///     .main()
    /// ```
    ///
    /// - Parameters:
    ///   - id: its name in `GET /debug/interceptors`, by which an operator takes it away. Of two
    ///     with one name, the first is taken away first.
    ///   - interceptor: decides about each action, on the Core's thread; never in a replay.
    /// - Returns: the server with this interceptor behind what it has already.
    public func intercepting(
        _ id: String,
        _ interceptor: @escaping Interceptor<State>
    ) -> StoreServer {
        var server = self
        server.interceptors.append((id, interceptor))
        return server
    }

    /// The same server, with an interceptor that is named by the place where it is given:
    /// `App/App.swift:12`.
    public func intercepting(
        file: String = #fileID,
        line: Int = #line,
        _ interceptor: @escaping Interceptor<State>
    ) -> StoreServer {
        intercepting("\(file):\(line)", interceptor)
    }

    /// The same server, which dispatches of its own accord: at the start, after changes and
    /// actions, and for notifications, `POST /notify/<name>`.
    public func reacting(_ reactions: Reaction<State>...) -> StoreServer {
        var server = self
        server.reactions += reactions
        return server
    }
}
