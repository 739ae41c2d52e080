public import StoreCore
import StorePlatform
import Synchronization

/// A value with listeners. A new listener gets the value at once. All listeners get the new value
/// after each call of ``accept(_:)`` and ``modify(_:)``, even if the new value equals the value
/// before.
///
/// Any thread may call any function. Listeners get the values one after the other, in the order of
/// the changes.
public final class BehaviorRelay<Value: Sendable>: Sendable {
    private struct Change: Action { let apply: @Sendable (inout Value) -> Void }

    private let core: Core<Value>
    private let current: Locked<Value>

    /// Makes a relay with its first value.
    public init(value: Value) {
        current = Locked(value)
        core = Core(state: value) { (value: inout Value, action: any Action) in
            (action as? Change)?.apply(&value)
        }
        core.observe { [weak self] value in self?.current.withLock { $0 = value } }
    }

    /// The value that listeners got last.
    public var value: Value { current.withLock { $0 } }

    /// Replaces the value.
    public func accept(_ value: Value) { modify { $0 = value } }

    /// Changes the value atomically. Listeners get only the result.
    public func modify(_ change: @escaping @Sendable (inout Value) -> Void) {
        core.dispatch(Change(apply: change))
    }

    /// Calls `listener` with the current value, and after each change with the new value.
    ///
    /// - Returns: a command that removes the listener.
    @discardableResult
    public func observe(_ listener: @escaping @Sendable (Value) -> Void) -> PlainCommand {
        core.observe(with: listener)
    }

    /// A stream of the current value and of the new value after each change. The stream ends when
    /// the task that iterates over it ends. For a slow task, the stream keeps only the newest
    /// value.
    public var values: AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let end = observe { continuation.yield($0) }
            continuation.onTermination = { _ in end() }
        }
    }
}

/// A relay that passes values on to its current listeners, and stores no value. Each value stands
/// for an event, such as a completed login or the closing of a screen. A later listener does not
/// get earlier values.
///
/// Any thread may call any function. Listeners get the values one after the other, in the order of
/// the calls. If a listener calls ``accept(_:)``, all listeners get that value after the current
/// value.
public final class PublishRelay<Value: Sendable>: Sendable {
    private struct Published: Action { let value: Value }

    private let core = Core<Int>(state: 0) { (_: inout Int, _: any Action) in }

    /// Makes a relay without listeners.
    public init() {}

    /// Passes a value on to all listeners.
    public func accept(_ value: Value) { core.dispatch(Published(value: value)) }

    /// Calls `listener` with each value that the relay passes on from now on.
    ///
    /// - Returns: a command that removes the listener.
    @discardableResult
    public func observe(_ listener: @escaping @Sendable (Value) -> Void) -> PlainCommand {
        core.onAction { _, action in
            if let published = action as? Published { listener(published.value) }
        }
    }

    /// A stream of the values that the relay passes on after this property is read. The stream
    /// keeps each value until the task takes it. The stream ends when the task that iterates over
    /// it ends.
    public var values: AsyncStream<Value> {
        AsyncStream { continuation in
            let end = observe { continuation.yield($0) }
            continuation.onTermination = { _ in end() }
        }
    }
}
