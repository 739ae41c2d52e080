public import StoreCore

extension StoreServer {
    /// Sees each action before it is reduced, with the state before it.
    public typealias Middleware =
        @Sendable (_ old: State, _ action: any Action, _ envelope: ActionEnvelope) -> Void

    /// The same server, whose middleware `observe` is called before each action is reduced, with
    /// the state before it.
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
    /// Middleware runs in the order in which it was given, behind analytics, on the Core's thread:
    /// it may look, and hand over work. It is called for actions that the reducer then refuses,
    /// where what it gives ``/StoreCore/ActionEnvelope/afterCommit(_:)`` does not run; and never in
    /// a replay or a dry run.
    ///
    /// - Parameters:
    ///   - id: its name in `GET /debug/middleware`, by which an operator takes it away. Of two with
    ///     one name, the first is taken away first.
    ///   - observe: receives the state before the action, the action and its envelope.
    /// - Returns: the server with this middleware behind what it has already.
    public func middleware(_ id: String, _ observe: @escaping Middleware) -> StoreServer {
        var server = self
        server.middleware.append((id, observe))
        return server
    }

    /// The same server, with middleware that is named by the place where it is given:
    /// `App/App.swift:12`.
    public func middleware(
        file: String = #fileID,
        line: Int = #line,
        _ observe: @escaping Middleware
    ) -> StoreServer {
        middleware("\(file):\(line)", observe)
    }
}
