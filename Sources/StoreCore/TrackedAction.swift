/// An action that declares the data of its analytics line.
///
/// Every applied action has an analytics line. A tracked action adds `data` to its line, made from
/// its own fields and from the state before it.
///
/// ```swift
/// extension Cart.Action: TrackedAction {
///     func record(before state: Cart.State) -> Checkout { Checkout(items: state.items.count) }
/// }
/// ```
///
/// `State` is the slice of the action's module, so a module can be tracked in a target that imports
/// only `StoreCore`. `State` may also be the root state, which has all slices. If the slice is not
/// there yet, as before a start, `data` is empty.
public protocol TrackedAction<State>: Action {
    /// The state before the action: the slice of its module, or the whole state.
    associatedtype State
    /// The value to record, encoded as the line's `data`.
    associatedtype Record: Encodable & Sendable

    /// Returns the record of this action; `state` is the state before the action.
    ///
    /// The function runs on the Core's thread, so it only picks values; it never computes at
    /// length.
    func record(before state: State) -> Record
}

/// A tracked action of a module with instances, whose record has the instance's id.
///
/// ```swift
/// extension Card.Action: TrackedInstanceAction {
///     func record(before state: Card.State, of instance: String) -> Like {
///         Like(card: instance, likes: state.likes)
///     }
/// }
/// ```
public protocol TrackedInstanceAction<State>: TrackedAction {
    /// The state before the action: the slice of the instance, or the whole state.
    associatedtype State
    /// The value to record, encoded as the line's `data`.
    associatedtype Record

    /// Returns the record of this action; `state` is the state before the action.
    func record(before state: State, of instance: String) -> Record
}

extension TrackedInstanceAction {
    /// Returns the record without an instance. No store calls this function.
    public func record(before state: State) -> Record { record(before: state, of: "") }
}
