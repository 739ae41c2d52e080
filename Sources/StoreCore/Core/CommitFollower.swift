/// The receiver of each commit, and of the actions that are not applied. The thread that does the
/// Core's work makes every call, and waits until the call returns.
///
/// Each method has a default that does nothing.
package protocol CommitFollower: AnyObject, Sendable {
    /// True if the Core is to call ``didApply(_:)``. The Core then measures the time of the
    /// reducer.
    var takesAppliedActions: Bool { get }

    /// Receives the newest version and the size of a commit's records. The records are durable.
    ///
    /// - Parameters:
    ///   - version: the version of the newest record.
    ///   - byteCount: the number of bytes of the records' payloads and metas.
    func didAppend(through version: UInt64, byteCount: Int)

    /// Receives the actions of a commit, in the order of their versions. The actions are durable.
    func didApply(_ actions: [AppliedAction])

    /// Receives an action of the program itself that was not applied.
    func didDrop(_ action: DroppedAction)

    /// Receives a client's action that was refused, perhaps in a dry run.
    func didRefuse(_ action: RefusedAction)

    /// Receives the error of a reducer or an interceptor if the error is no ``Refusal``.
    func reducerDidFail(_ failure: ReducerFailure)

    /// Receives the error if the journal cannot read the records of other writers now. The Core
    /// tries again after the next append of another writer, or after the next conflict.
    func journalDidBecomeUnreadable(_ error: JournalError)
}

extension CommitFollower {
    package var takesAppliedActions: Bool { false }
    package func didAppend(through version: UInt64, byteCount: Int) {}
    package func didApply(_ actions: [AppliedAction]) {}
    package func didDrop(_ action: DroppedAction) {}
    package func didRefuse(_ action: RefusedAction) {}
    package func reducerDidFail(_ failure: ReducerFailure) {}
    package func journalDidBecomeUnreadable(_ error: JournalError) {}
}

/// An applied action, with the time that its reduction took.
package struct AppliedAction: Sendable, Equatable {
    package let version: UInt64
    /// The wire name of the action.
    package let type: String
    /// True if the action changed the state.
    package let changed: Bool
    /// The time that the reducer took.
    package let reducerTime: Duration
}

/// An action from a presenter, a reaction or an effect, which the Core has not applied. For
/// instance, the reducer refused the action, the mailbox was full, or only another module may
/// dispatch the action. No client awaits the outcome; the server logs the action.
package struct DroppedAction: Sendable {
    /// The wire name of the action.
    package let type: String
    /// The cause of the action, and the part of the program that dispatched the action.
    package let source: ActionSource
    package let reason: any Error
}

/// A client's action that the store has refused.
package struct RefusedAction: Sendable {
    /// The wire name, with `{id}` in place of the id of an instance.
    package let type: String
    /// The id of the request that dispatched the action.
    package let requestID: String
    package let refusal: Refusal
}

/// An error of a reducer or an interceptor that is no ``Refusal``: a defect of the program.
package struct ReducerFailure: Sendable {
    /// The wire name of the action.
    package let type: String
    /// The id of the request that dispatched the action; `nil` if the program itself did.
    package let requestID: String?
    package let error: any Error
}

extension Engine {
    /// Returns the refusal for the error that was thrown for an action. Reports the refusal to the
    /// follower if a client sent the action. Always reports an error that is no refusal.
    func reportRefusal(_ error: any Error, _ member: EnvelopeMember, _ envelope: Envelope)
        -> Refusal
    {
        let refusal = Refusal(error)
        if let failure = refusal.reducerError {
            ports.follower?.reducerDidFail(
                ReducerFailure(type: member.type, requestID: envelope.requestID, error: failure)
            )
        } else if let id = envelope.requestID {
            ports.follower?.didRefuse(
                RefusedAction(type: member.wireNameTemplate, requestID: id, refusal: refusal)
            )
        }
        return refusal
    }
}

/// The port that receives the Core's states. The thread that does the Core's work makes every call.
package protocol StateSink<State>: AnyObject, Sendable {
    associatedtype State

    /// True if the Core is to call ``didReduce(_:version:changed:)``. Each call costs a copy of the
    /// state.
    var takesEachVersion: Bool { get }

    /// Receives the state after an envelope was reduced. The sink must not publish the state before
    /// the commit.
    func didReduce(_ state: State, version: UInt64, changed: Bool)

    /// Encodes the state before it becomes durable as `version`.
    ///
    /// - Throws: an error if the state cannot be encoded. The Core then rolls the batch back.
    func prepare(_ state: State, through version: UInt64) throws

    /// Publishes the state, which is durable as `version`. The Core calls this function before it
    /// calls the completions. Only the named streams of `audience` get the event; `nil` means all
    /// streams.
    func publish(_ state: State, through version: UInt64, for audience: Audience?)

    /// Wakes the threads of the streams, after the Core has called all completions of the batch.
    func wakeStreams()

    /// Receives the notice that the Core has rolled back all actions reduced since the last commit.
    func didRollBack()
}

/// An observer of the published versions, on the Core's thread.
package protocol VersionFollower: AnyObject, Sendable {
    /// Receives the newest version, after all versions up to this version are published.
    func notePublished(_ version: UInt64)
}
