public import Dispatch

/// An observer in the server's own process, which receives every state.
struct Observer<State: Sendable>: Sendable {
    let queue: DispatchQueue?
    let receive: @Sendable (State) -> Void
}

extension StoreServer {
    /// Returns a server that calls `observer` with the state at the start and after every applied
    /// action, in order, also if the action changed nothing.
    ///
    /// ```swift
    /// StoreServer(state: Guestbook(), actions: [Signed.self], reducer: reduce)
    ///     .observing(on: .main) { book in print(book.entries.count) }
    ///     .main()
    /// ```
    ///
    /// - Parameters:
    ///   - queue: the queue that calls `observer`; ``main()`` serves the main queue. Without a
    ///     queue, the Core's thread calls it, and every other action waits meanwhile.
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
