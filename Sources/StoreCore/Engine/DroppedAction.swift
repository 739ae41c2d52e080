/// An action of a presenter, a reaction or an effect that was not applied. The reducer refused it,
/// the mailbox was full, or it is another module's own. No client awaits its outcome; the server
/// logs it.
package struct DroppedAction: Sendable {
    /// The wire name of the action.
    package let type: String
    /// The cause of the action, and the place that dispatched it.
    package let source: ActionSource
    package let reason: any Error
}

/// The completion of an action whose outcome no client awaits.
final class IgnoredOutcome: Completion {
    private let watch: EffectWatch?
    private let applied: (@Sendable (UInt64?) -> Void)?
    private let failed: (@Sendable (any Error) -> Void)?

    /// - Parameters:
    ///   - watch: a watch that was begun for the action, and ends with it.
    ///   - applied: receives the version that the action made; `nil` if it was not applied.
    ///   - failed: receives the refusal or the failure if the action was not applied.
    init(
        _ watch: EffectWatch? = nil,
        applied: (@Sendable (UInt64?) -> Void)? = nil,
        failed: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.watch = watch
        self.applied = applied
        self.failed = failed
    }

    func complete(_ outcome: Outcome) {
        if let applied {
            if case .applied(_, let version, _, _) = outcome {
                applied(version)
            } else {
                applied(nil)
            }
        }
        switch outcome {
        case .refused(let refusal, _): failed?(refusal)
        case .failed(let failure): failed?(failure)
        case .applied, .replayed, .keyTaken, .versionMismatch, .dryRun, .cancelled: break
        }
        watch?.end()
    }
}
