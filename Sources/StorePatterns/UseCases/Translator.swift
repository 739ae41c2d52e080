/// Changes what is shown for each output of an interactor: the pure half of Plan's presenter.
///
/// A module's reducer is one; a type of its own is worth having where several modules share it.
public protocol Translator<Action, Store>: Sendable {
    /// The outputs of an interactor.
    associatedtype Action: Sendable
    /// What is shown: a module's slice, or a part of it.
    associatedtype Store

    /// Changes what is shown.
    func translate(action: Action, store: inout Store)
}
