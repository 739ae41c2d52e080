public import StoreCore
import StorePlatform
import Synchronization

/// Keeps a value, and passes it to each new listener, and to all whenever it is taken or changed.
///
/// Any thread may call anything here. Listeners get one value after the other, in the order in
/// which they came.
public final class BehaviorRelay<Value: Sendable>: Sendable {
    private struct Change: Action {
        let apply: @Sendable (inout Value) -> Void
    }

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

    /// Takes a value in place of the one that it has.
    public func accept(_ value: Value) {
        modify { $0 = value }
    }

    /// Changes the value in one step, which listeners get once, however much it changes.
    public func modify(_ change: @escaping @Sendable (inout Value) -> Void) {
        core.dispatch(Change(apply: change))
    }

    /// Calls `listener` with the value as it is, and whenever it is taken or changed.
    ///
    /// - Returns: what ends it.
    @discardableResult
    public func observe(_ listener: @escaping @Sendable (Value) -> Void) -> PlainCommand {
        core.observe(with: listener)
    }

    /// The value as it is, and whenever it is taken or changed. Ends with the task that takes them;
    /// of values that are not taken in time only the newest is kept.
    public var values: AsyncStream<Value> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let end = observe { continuation.yield($0) }
            continuation.onTermination = { _ in end() }
        }
    }
}
