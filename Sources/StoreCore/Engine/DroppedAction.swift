/// An action that a presenter, a reaction or an effect dispatched, and that was not applied: the
/// reducer refused it, or the mailbox was full. No client waits for its outcome; the server logs
/// it.
package struct DroppedAction: Sendable {
    /// Its wire name.
    package let type: String
    /// What led to it, and the place that dispatched it.
    package let source: ActionSource
    package let reason: any Error
}

/// The completion of an action whose outcome no client asks for.
final class IgnoredOutcome: Completion {
    private let watch: EffectWatch?
    private let applied: (@Sendable (UInt64?) -> Void)?
    private let failed: (@Sendable (any Error) -> Void)?

    /// - Parameters:
    ///   - watch: was begun for the action, and ends with it.
    ///   - applied: receives the version that it made; `nil` where it was not applied.
    ///   - failed: receives why it was not applied.
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
