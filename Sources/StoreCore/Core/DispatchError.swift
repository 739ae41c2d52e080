/// The error of an action that was dispatched and awaited: the action was not applied, or the
/// outcome is unknown.
///
/// ```swift
/// do throws(DispatchError) {
///     try await core.apply(Counter.Action.increased)
/// } catch {
///     if let refusal = error.refusal { show(refusal.reason) } else { show("Try again later.") }
/// }
/// ```
public struct DispatchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of failure; later versions may add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// Makes a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The reducer or an interceptor has refused the action: ``DispatchError/refusal`` has the
        /// reason.
        public static let refused = Code(rawValue: "refused")
        /// The effect that dispatched the action is cancelled, or the store of the effect has
        /// ended.
        public static let cancelled = Code(rawValue: "cancelled")
        /// An effect or a use case has dispatched another module's UI action or internal action. If
        /// the other module is in a target of its own, behind a ``ModuleInterface``, the compiler
        /// prevents the dispatch.
        public static let foreignAction = Code(rawValue: "foreign-action")
        /// The action has no wire name, or its fields have no JSON form.
        public static let invalidAction = Code(rawValue: "invalid-action")
        /// The bound on waiting actions is reached.
        public static let mailboxFull = Code(rawValue: "mailbox-full")
        /// The Core has stopped.
        public static let closed = Code(rawValue: "closed")
        /// The journal has no room.
        public static let storageFull = Code(rawValue: "storage-full")
        /// The journal failed earlier. The Core applies nothing until the next start.
        public static let journalFailed = Code(rawValue: "journal-failed")
        /// The Core could not read the journal.
        public static let journalUnreadable = Code(rawValue: "journal-unreadable")
        /// The append has met conflicts with other writers of the journal too many times in a row.
        public static let contended = Code(rawValue: "contended")
        /// The result of the append is unknown: the action may have been applied. All other kinds
        /// mean that the action was not applied.
        public static let outcomeUnknown = Code(rawValue: "outcome-unknown")
    }

    /// The kind of failure.
    public let code: Code
    /// The cause in words.
    public let reason: String
    /// The refusal of the action; `nil` for any other kind of failure.
    public let refusal: Refusal?

    init(_ code: Code, _ reason: String, _ refusal: Refusal? = nil) {
        self.code = code
        self.reason = reason
        self.refusal = refusal
    }

    /// The cause in words.
    public var description: String { reason }
}

extension DispatchError {
    init(_ refusal: Refusal) { self.init(.refused, refusal.reason, refusal) }

    static var cancelled: DispatchError {
        DispatchError(.cancelled, "the effect was cancelled, or its store has ended")
    }

    /// Makes the error for a dispatch of another module's UI action or internal action. The caller
    /// belongs to `module`, and the action belongs to `owner`.
    static func foreign(_ action: String, of owner: String, by module: String) -> DispatchError {
        DispatchError(
            .foreignAction,
            "only the views, effects and presenters of module '\(owner)' dispatch \(action); the "
                + "caller is a part of module '\(module)'; dispatch a public action of '\(owner)', or "
                + "let a presenter of '\(owner)' do it"
        )
    }

    init(_ error: MailboxError) {
        switch error {
        case .full: self.init(.mailboxFull, "the mailbox is full")
        case .closed: self.init(.closed, "the Core has stopped")
        }
    }

    init(_ failure: CoreFailure) {
        switch failure {
        case .storageFull: self.init(.storageFull, "the journal has no room")
        case .journalFailed: self.init(.journalFailed, "the journal has failed")
        case .journalUnreadable: self.init(.journalUnreadable, "the journal can't be read")
        case .contended:
            self.init(
                .contended,
                "other writers appended to the journal first, too many times"
            )
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                "it is unknown whether the journal has appended the action"
            )
        }
    }
}

extension Outcome {
    /// The error for a caller that awaits an action; `nil` if the action was applied.
    package var dispatchError: DispatchError? {
        switch self {
        case .applied: nil
        case .refused(let refusal, _): DispatchError(refusal)
        case .failed(let failure): DispatchError(failure)
        case .cancelled: .cancelled
        // An awaited action has no idempotency key and no version condition, and is not a dry run.
        // So these outcomes do not occur.
        case .replayed, .keyTaken, .versionMismatch, .dryRun:
            DispatchError(CoreFailure.outcomeUnknown)
        }
    }
}

extension Error {
    /// The refusal that this error is or contains; `nil` if there is none.
    package var refusal: Refusal? { self as? Refusal ?? (self as? DispatchError)?.refusal }

    /// True if the work was cancelled.
    package var isCancellation: Bool {
        self is CancellationError || (self as? DispatchError)?.code == .cancelled
    }
}
