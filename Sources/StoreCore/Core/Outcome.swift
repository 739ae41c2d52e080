/// The receiver of an envelope's outcome. The engine calls ``complete(_:)`` exactly once, after the
/// commit or its failure, on the thread that does the Core's work.
package protocol Completion: AnyObject, Sendable {
    func complete(_ outcome: Outcome)
}

/// The outcome of an envelope.
package enum Outcome: Sendable {
    /// Applied as the versions `first` to `last`. `state` is set if the envelope asked for the
    /// state.
    case applied(first: UInt64, last: UInt64, changed: Bool, state: RequestedState?)
    /// The same request was applied earlier, with this outcome. Nothing was applied now.
    indirect case replayed(KeptOutcome)
    /// A different request was applied earlier with the same idempotency key. Nothing was applied
    /// now.
    case keyTaken
    /// The reducer or an interceptor refused the member at this index. Nothing was applied.
    indirect case refused(Refusal, member: Int)
    /// Not applied: the state does not have the expected version.
    case versionMismatch(current: UInt64)
    /// The state that the envelope would have made. Nothing was applied.
    indirect case dryRun(DryRun)
    /// The Core could not apply the envelope, although it was valid.
    case failed(CoreFailure)
    /// The effect that dispatched the envelope was cancelled. Nothing was applied.
    case cancelled
}

/// A state that an envelope asked for. The type is a class: an outcome then stores only a reference
/// to the state. The engine moves an outcome for every action.
package final class RequestedState: Sendable {
    package let value: any Sendable

    init(_ value: any Sendable) { self.value = value }
}

/// The result of a dry run.
package struct DryRun: Sendable {
    /// True if the envelope would have changed the state.
    package let changed: Bool
    /// The current version of the state.
    package let version: UInt64
    /// The current state.
    package let stateBefore: any Sendable
    /// The state that the envelope would have made.
    package let stateAfter: any Sendable
    /// The slices that the envelope would have written, if the state is made of modules.
    package let edits: [SliceEdit]
}

/// The reason why the Core could not apply a valid action.
package enum CoreFailure: Error, Sendable, Equatable {
    /// The journal has no room. The action was not applied.
    case storageFull
    /// The result of the append is unknown: the action may have been applied.
    case outcomeUnknown
    /// The Core could not read the journal, to look up the request's key or the records of other
    /// writers. The action was not applied.
    case journalUnreadable
    /// The append has met conflicts with other writers of the journal too many times in a row. The
    /// action was not applied.
    case contended
    /// The journal failed earlier. The action was not applied.
    case journalFailed
}

/// The reason why the mailbox did not take an item.
package enum MailboxError: Error, Sendable, Equatable {
    /// The bound on waiting actions is reached.
    case full
    /// The Core has stopped.
    case closed
}

/// The completion of an action whose outcome no client awaits.
final class UnawaitedCompletion: Completion {
    private let watch: EffectWatch?
    private let onOutcome: (@Sendable (UInt64?) -> Void)?
    private let onFailure: (@Sendable (any Error) -> Void)?

    /// - Parameters:
    ///   - watch: a watch that was begun for the action; the outcome ends the watch.
    ///   - onOutcome: receives the version that the action made; `nil` if the action was not
    ///     applied.
    ///   - onFailure: receives the refusal or the failure if the action was not applied.
    init(
        _ watch: EffectWatch? = nil,
        onOutcome: (@Sendable (UInt64?) -> Void)? = nil,
        onFailure: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.watch = watch
        self.onOutcome = onOutcome
        self.onFailure = onFailure
    }

    func complete(_ outcome: Outcome) {
        var version: UInt64?
        if case .applied(_, let last, _, _) = outcome { version = last }
        onOutcome?(version)
        switch outcome {
        case .refused(let refusal, _): onFailure?(refusal)
        case .failed(let failure): onFailure?(failure)
        case .applied, .replayed, .keyTaken, .versionMismatch, .dryRun, .cancelled: break
        }
        watch?.end()
    }
}
