/// Receives what became of an envelope: exactly once, on the Core's thread, after the commit.
package protocol Completion: AnyObject, Sendable {
    func complete(_ outcome: Outcome)
}

/// What became of an envelope.
package enum Outcome: Sendable {
    /// Applied as these versions. `state` is there where the envelope asked for it.
    case applied(first: UInt64, last: UInt64, changed: Bool, state: AskedState?)
    /// The same request was applied before, as these versions; nothing was applied now.
    indirect case replayed(KeptOutcome)
    /// Another request was applied under this key; nothing was applied now.
    case keyTaken
    /// The reducer or an interceptor refused the member of this index; nothing was applied.
    indirect case refused(Refusal, member: Int)
    /// The state has another version than was expected.
    case versionMismatch(current: UInt64)
    /// What would have become of the state.
    indirect case dryRun(DryRun)
    /// The machine said no.
    case failed(CoreFailure)
    /// The effect that dispatched it does not count any more; nothing was applied.
    case cancelled
}

/// A state that an envelope asked for: an object, because most ask for none, and outcomes are moved
/// for every action.
package final class AskedState: Sendable {
    package let value: any Sendable

    init(_ value: any Sendable) {
        self.value = value
    }
}

/// What an envelope would have done.
package struct DryRun: Sendable {
    /// Whether it would have changed the state.
    package let changed: Bool
    /// The version that the state has.
    package let version: UInt64
    /// The state before it.
    package let before: any Sendable
    /// The state that it would have led to.
    package let after: any Sendable
    /// The slices that it would have changed, where the state is made of modules.
    package let touches: [Touch]
}

/// Why the Core could not apply an action that it would have applied.
public enum CoreFailure: Error, Sendable, Equatable {
    /// The journal has no room; the action was not applied.
    case storageFull
    /// It is not known whether the action was applied.
    case unknown
    /// The journal could not be asked whether the request was applied before, or what others have
    /// written; it was not applied now.
    case unreadable
    /// Other writers of the journal were first again and again; the action was not applied.
    case contended
    /// The Core has stopped; the action was not applied.
    case closed
    /// The journal failed before; the action was not applied.
    case journalFailed
}

/// Why the mailbox did not take something.
public enum MailboxError: Error, Sendable, Equatable {
    /// As many actions wait as may.
    case full
    /// The Core has stopped.
    case closed
}
