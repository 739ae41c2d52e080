/// A pure function that changes the shown state for each output of an interactor. In Plan, this is
/// the pure half of a presenter.
///
/// A module's reducer is a translator. A type of its own is useful if several modules share it.
public protocol Translator<Action, Store>: Sendable {
    /// The outputs of an interactor.
    associatedtype Action: Sendable
    /// The shown state: a module's slice, or a part of it.
    associatedtype Store

    /// Changes the shown state.
    func translate(action: Action, store: inout Store)
}
