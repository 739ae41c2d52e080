/// Changes what is shown as an interactor's outputs say: the pure half of a presenter.
///
/// A module's reducer is one; a type of its own is worth having where several modules share it.
public protocol Translator<Action, Store>: Sendable {
    /// What an interactor says.
    associatedtype Action: Sendable
    /// What is shown: a module's slice, or a part of it.
    associatedtype Store

    /// Changes what is shown.
    func translate(action: Action, store: inout Store)
}
