/// The port that receives the Core's states. The thread that does the Core's work makes every call.
package protocol Sink<State>: AnyObject, Sendable {
    associatedtype State

    /// True if the Core is to call ``reduced(_:version:changed:)``. Each call costs a copy of the
    /// state.
    var takesEachVersion: Bool { get }

    /// An envelope was reduced. The sink must not publish it yet: the commit follows later.
    func reduced(_ state: State, version: UInt64, changed: Bool)

    /// All that was reduced since the last commit is about to become durable as `version`.
    ///
    /// - Throws: an error if the state cannot be encoded. The Core then takes the batch back.
    func prepare(_ state: State, through version: UInt64) throws

    /// All versions up to `version` are durable, and readers may see them. The Core calls this
    /// before the completions. Only the named streams of `audience` get the event; `nil` means all
    /// streams.
    func committed(_ state: State, through version: UInt64, for audience: Audience?)

    /// All completions of the batch were called. The sink may wake the waiting threads, once.
    func completed()

    /// The Core has taken back everything that was reduced since the last commit.
    func rolledBack()
}
