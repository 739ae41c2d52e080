/// Receives each commit, and the actions that are not applied. The Core's thread makes every call,
/// and waits for its end.
///
/// None of it has to be implemented.
package protocol CommitFollower: AnyObject, Sendable {
    /// Whether ``applied(_:)`` is to be called. Reducers' time is measured for the call.
    var takesActions: Bool { get }

    /// Records are durable.
    ///
    /// - Parameters:
    ///   - version: the newest.
    ///   - bytes: what their payloads and meta take.
    func appended(through version: UInt64, bytes: Int)

    /// The actions of a commit, in their order, are durable.
    func applied(_ actions: [AppliedAction])

    /// An action of the program's own was not applied.
    func dropped(_ action: DroppedAction)

    /// An action of a client was refused, or would have been in a dry run.
    func refused(_ action: RefusedAction)

    /// A reducer or an interceptor threw an error that is no ``Refusal``.
    func reducerFailed(_ failure: ReducerFailure)

    /// What other writers have appended can't be read at the moment. It is tried again when they
    /// append more, or when they are first again.
    func unreadable(_ error: JournalError)
}

extension CommitFollower {
    package var takesActions: Bool { false }
    package func appended(through version: UInt64, bytes: Int) {}
    package func applied(_ actions: [AppliedAction]) {}
    package func dropped(_ action: DroppedAction) {}
    package func refused(_ action: RefusedAction) {}
    package func reducerFailed(_ failure: ReducerFailure) {}
    package func unreadable(_ error: JournalError) {}
}
