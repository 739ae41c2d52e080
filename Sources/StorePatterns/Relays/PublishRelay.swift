public import StoreCore

/// Passes values on to the listeners of that moment, and keeps none: a login that is completed, a
/// screen that is to close. A listener that comes later does not get it.
///
/// Any thread may call anything here. Listeners get one value after the other, in the order in
/// which they came; a value that a listener has the relay accept comes after the one that it gets.
public final class PublishRelay<Value: Sendable>: Sendable {
    private struct Published: Action {
        let value: Value
    }

    private let core = Core<Int>(state: 0) { (_: inout Int, _: any Action) in }

    /// Makes a relay without listeners.
    public init() {}

    /// Passes a value on.
    public func accept(_ value: Value) {
        core.dispatch(Published(value: value))
    }

    /// Calls `listener` with each value from now on.
    ///
    /// - Returns: what ends it.
    @discardableResult
    public func observe(_ listener: @escaping @Sendable (Value) -> Void) -> PlainCommand {
        core.add { (_: Int, action: any Action) in
            if let published = action as? Published { listener(published.value) }
        }
    }

    /// The values from now on, all that are not taken yet among them. Ends with the task that takes
    /// them.
    public var values: AsyncStream<Value> {
        AsyncStream { continuation in
            let end = observe { continuation.yield($0) }
            continuation.onTermination = { _ in end() }
        }
    }
}
