/// An action that declares what analytics keep of it.
///
/// Every applied action leaves an analytics line; one of this kind gives that line its `data`,
/// taken from its own fields and from the state that it found.
///
/// ```swift
/// extension Cart.Action: TrackedAction {
///     func record(before state: Cart.State) -> Checkout { Checkout(items: state.items.count) }
/// }
/// ```
///
/// `State` is the slice of the module that the action belongs to, so a module can be tracked in a
/// target that knows nothing but `StoreCore`; or it is the root state, which has all slices. Where
/// the slice is not there yet, as before a start, `data` is empty.
public protocol TrackedAction<State>: Action {
    /// The state that the action is reduced into: its module's slice, or all of the state.
    associatedtype State
    /// The value to record, encoded as the line's `data`.
    associatedtype Record: Encodable & Sendable

    /// The record of this action, given the state before it was reduced.
    ///
    /// Runs on the Core's thread, so it only picks values; it never computes at length.
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
    /// The state that the action is reduced into: the instance's slice, or all of the state.
    associatedtype State
    /// The value to record, encoded as the line's `data`.
    associatedtype Record

    /// The record of this action, given the state before it was reduced, and the instance's id.
    func record(before state: State, of instance: String) -> Record
}

extension TrackedInstanceAction {
    /// The record without an instance, which no store asks for.
    public func record(before state: State) -> Record { record(before: state, of: "") }
}
