/// An action that declares what analytics keep of it.
///
/// Every applied action leaves an analytics line; one of this kind gives that line its `data`,
/// taken from its own fields and from the state that it found.
public protocol TrackedAction<State>: Action {
    /// The state that the action is reduced into.
    associatedtype State
    /// What is kept: encoded as the line's `data`.
    associatedtype Record: Encodable & Sendable

    /// The record of this action, given the state before it was reduced.
    ///
    /// Runs on the Core's thread, so it only picks values; it never computes at length.
    func record(before state: State) -> Record
}
