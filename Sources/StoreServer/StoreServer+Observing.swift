public import Dispatch

/// An observer in the server's own process, which receives every state.
struct Observer<State: Sendable>: Sendable {
    let queue: DispatchQueue?
    let receive: @Sendable (State) -> Void
}

extension StoreServer {
    /// The same server, which calls `observer` with the state at the start and after every applied
    /// action, in order, also where that changed nothing.
    ///
    /// ```swift
    /// StoreServer(state: Guestbook(), actions: [Signed.self], reducer: reduce)
    ///     .observing(on: .main) { book in print(book.entries.count) }
    ///     .main()
    /// ```
    ///
    /// - Parameters:
    ///   - queue: where `observer` is called; ``main()`` serves the main queue. Without one it is
    ///     called on the Core's thread, and holds up every action meanwhile.
    ///   - observer: receives each state.
    /// - Returns: the server with one more observer.
    public func observing(
        on queue: DispatchQueue? = nil,
        with observer: @escaping @Sendable (State) -> Void
    ) -> StoreServer {
        var server = self
        server.observers.append(Observer(queue: queue, receive: observer))
        return server
    }
}
