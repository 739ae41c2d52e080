/// Ends an observation, a middleware, an interceptor or a watch that was begun.
///
/// ```swift
/// let subscription = core.observe { state in print(state.counter) }
/// subscription.cancel()
/// ```
///
/// It ends nothing by itself: dropping it leaves what was begun at work. `StorePatterns` makes a
/// command of it, and leaves it to a disposer.
public final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    /// Makes a subscription that `end` ends. It may be called more than once, on any thread.
    public init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Ends what was begun. Any thread; the second call does nothing.
    public func cancel() { end() }

    /// Ends what was begun: `subscription()`.
    public func callAsFunction() { end() }
}
