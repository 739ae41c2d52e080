public import StoreCore

/// A relay that passes values on to its current listeners, and keeps none: a login that is
/// completed, a screen that is to close. A later listener does not get such a value.
///
/// Any thread may call any function. Listeners get the values one after the other, in the order of
/// the calls. If a listener calls ``accept(_:)``, all listeners get that value after the current
/// one.
public final class PublishRelay<Value: Sendable>: Sendable {
    private struct Published: Action {
        let value: Value
    }

    private let core = Core<Int>(state: 0) { (_: inout Int, _: any Action) in }

    /// Makes a relay without listeners.
    public init() {}

    /// Passes a value on to all listeners.
    public func accept(_ value: Value) {
        core.dispatch(Published(value: value))
    }

    /// Calls `listener` with each later value.
    ///
    /// - Returns: a command that removes the listener.
    @discardableResult
    public func observe(_ listener: @escaping @Sendable (Value) -> Void) -> PlainCommand {
        core.add { (_: Int, action: any Action) in
            if let published = action as? Published { listener(published.value) }
        }
    }

    /// The later values, which are all kept until the task takes them. The stream ends with the
    /// task that iterates over it.
    public var values: AsyncStream<Value> {
        AsyncStream { continuation in
            let end = observe { continuation.yield($0) }
            continuation.onTermination = { _ in end() }
        }
    }
}
