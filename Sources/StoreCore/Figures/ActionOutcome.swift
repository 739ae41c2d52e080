/// The outcome of a dispatched action, as the label `outcome` of the metrics. All actions of an
/// array have the outcome of the array.
package enum ActionOutcome: Int, Sendable, CaseIterable {
    /// Applied, and the state differs from the state before.
    case changed
    /// Applied, and the state is the same.
    case unchanged
    /// Refused by the reducer, by an interceptor, or because the state has no JSON form.
    case refused
    /// Not applied, because the state does not have the expected version.
    case versionMismatch
    /// Answered with the outcome of the same, earlier request.
    case replayed
    /// Not applied, because another request had the same idempotency key.
    case keyTaken
    /// Tried on a copy of the state.
    case dryRun
    /// Not applied, because the effect that dispatched it was cancelled.
    case cancelled
    /// The journal or the Core failed: the action was not applied, or its outcome is unknown.
    case failed

    /// The value of the label `outcome`.
    package var label: String {
        switch self {
        case .changed: "changed"
        case .unchanged: "unchanged"
        case .refused: "refused"
        case .versionMismatch: "version_mismatch"
        case .replayed: "replayed"
        case .keyTaken: "key_taken"
        case .dryRun: "dry_run"
        case .cancelled: "cancelled"
        case .failed: "failed"
        }
    }

    /// Makes the outcome of an envelope that was not applied; `nil` if it was applied.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .applied: return nil
        case .replayed: self = .replayed
        case .keyTaken: self = .keyTaken
        case .refused: self = .refused
        case .versionMismatch: self = .versionMismatch
        case .dryRun: self = .dryRun
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
