/// The receiver of each commit, and of the actions that are not applied. The thread that does the
/// Core's work makes every call, and waits until the call returns.
///
/// Each method has a default that does nothing.
package protocol CommitFollower: AnyObject, Sendable {
    /// True if the Core is to call ``applied(_:)``. The Core then measures the time of the reducer.
    var takesActions: Bool { get }

    /// Records are durable.
    ///
    /// - Parameters:
    ///   - version: the newest version.
    ///   - bytes: the number of bytes of their payloads and metas.
    func appended(through version: UInt64, bytes: Int)

    /// The actions of a commit are durable. The array is in their order.
    func applied(_ actions: [AppliedAction])

    /// An action of the program itself was not applied.
    func dropped(_ action: DroppedAction)

    /// An action of a client was refused; in a dry run, it would have been refused.
    func refused(_ action: RefusedAction)

    /// A reducer or an interceptor threw an error that is no ``Refusal``.
    func reducerFailed(_ failure: ReducerFailure)

    /// The journal cannot read the records of other writers now. The Core tries again when they
    /// append more, or when they again append first.
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
