public import StoreCore

extension StoreServer {
    /// A function that is called before each action is reduced, with the state before it.
    public typealias Middleware =
        @Sendable (_ old: State, _ action: any Action, _ envelope: ActionEnvelope) -> Void

    /// Returns a server that calls the middleware `observe` before each action is reduced, with the
    /// state before it.
    ///
    /// ```swift
    /// StoreServer(AppState.self)
    ///     .middleware("tracker") { state, action, envelope in
    ///         guard let shown = action as? ScreenShown else { return }
    ///         let count = state.counter.count
    ///         envelope.afterCommit { tracker.screenShown(shown.name, counter: count) }
    ///     }
    ///     .main()
    /// ```
    ///
    /// Middleware runs in the order in which it was added, after analytics, on the Core's thread.
    /// Middleware may inspect the action and schedule work. The Core also calls it for actions that
    /// the reducer then refuses; their ``/StoreCore/ActionEnvelope/afterCommit(_:)`` closures do
    /// not run. Replays and dry runs never call it.
    ///
    /// - Parameters:
    ///   - id: the name of the middleware in `GET /debug/middleware`, by which an operator removes
    ///     it. Of two with one name, the first is removed first.
    ///   - observe: receives the state before the action, the action and its envelope.
    /// - Returns: the server with this middleware behind its earlier middleware.
    public func middleware(_ id: String, _ observe: @escaping Middleware) -> StoreServer {
        var server = self
        server.middleware.append((id, observe))
        return server
    }

    /// Returns a server with middleware that is named by the place of this call:
    /// `App/App.swift:12`.
    public func middleware(
        file: String = #fileID,
        line: Int = #line,
        _ observe: @escaping Middleware
    ) -> StoreServer {
        middleware("\(file):\(line)", observe)
    }
}
