public import StoreCore

extension StoreServer {
    /// The same server, whose middleware `observe` is called before each action is reduced, with
    /// the state before it.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .middleware("tracker") { state, action in
    ///         guard let shown = action as? ScreenShown else { return }
    ///         tracker.trackScreenShown(shown.name, counter: state.counter.count)
    ///     }
    ///     .main()
    /// ```
    ///
    /// Middleware runs in the order in which it was given, behind analytics, on the Core's thread:
    /// it may look, and hand over work. It is called for actions that the reducer then refuses, and
    /// never in a replay.
    ///
    /// - Parameters:
    ///   - id: its name in `GET /debug/middleware`, by which an operator takes it away. Of two with
    ///     one name, the first is taken away first.
    ///   - observe: receives the state before the action, and the action.
    /// - Returns: the server with this middleware behind what it has already.
    public func middleware(
        _ id: String,
        _ observe: @escaping @Sendable (_ old: State, _ action: any Action) -> Void
    ) -> StoreServer {
        var server = self
        server.middleware.append((id, observe))
        return server
    }
}
