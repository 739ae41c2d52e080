public import StoreCore
public import StorePatterns

extension StoreServer {
    /// Returns a server that calls `interceptor` with each action before the reducer. The
    /// interceptor may refuse the action, replace it, or add further actions. Interceptors are
    /// called in the order in which they were added.
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
    ///   - id: the name of the interceptor in `GET /debug/interceptors`, by which an operator
    ///     removes it. Of two interceptors with one name, the first is removed first.
    ///   - interceptor: decides about each action, on the Core's thread. A replay never calls it.
    /// - Returns: the server with this interceptor behind its earlier ones.
    public func intercepting(
        _ id: String,
        _ interceptor: @escaping Interceptor<State>
    ) -> StoreServer {
        var server = self
        server.interceptors.append((id, interceptor))
        return server
    }

    /// Returns a server with an interceptor that is named by the place of this call:
    /// `App/App.swift:12`.
    public func intercepting(
        file: String = #fileID,
        line: Int = #line,
        _ interceptor: @escaping Interceptor<State>
    ) -> StoreServer {
        intercepting("\(file):\(line)", interceptor)
    }

    /// Returns a server with further reactions. They dispatch actions at the start, after changes
    /// and actions, and for notifications (`POST /notify/<name>`).
    public func reacting(_ reactions: Reaction<State>...) -> StoreServer {
        var server = self
        server.reactions += reactions
        return server
    }
}
