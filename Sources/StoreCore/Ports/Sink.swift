/// The port through which the Core's results go out. The Core's thread makes every call.
package protocol Sink<State>: AnyObject, Sendable {
    associatedtype State

    /// Whether ``reduced(_:version:changed:)`` is to be called. A state is copied for the call.
    var takesEachVersion: Bool { get }

    /// An action was reduced. Nothing may leave yet: the commit is still to come.
    func reduced(_ state: State, version: UInt64, changed: Bool)

    /// Everything reduced since the last commit is about to become durable as `version`.
    ///
    /// - Throws: where the state can't be shown; then nothing of it becomes durable.
    func prepare(_ state: State, through version: UInt64) throws

    /// Everything up to `version` is durable: readers may see it. Called before the completions.
    /// The named streams of the audience get it; all streams where it is `nil`.
    func committed(_ state: State, through version: UInt64, for audience: Audience?)

    /// The batch's completions are all called: the threads that wait for them may be woken, once.
    func completed()

    /// What was reduced since the last commit did not happen.
    func rolledBack()
}
