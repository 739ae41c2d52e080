extension Core {
    /// Hands over an action whose dispatcher waits for the outcome. The watch ends with the effects
    /// that follow.
    func dispatch(
        _ action: any Action,
        watch: EffectWatch? = nil,
        reportingTo continuation: CheckedContinuation<Dispatched<State>, any Error>
    ) {
        do {
            try engine.offer(
                Envelope(
                    members: [try engine.member(of: action)],
                    wantsState: true,
                    watch: watch,
                    completion: WaitingDispatch(continuation)
                )
            )
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// The completion of an action that its dispatcher awaits.
private final class WaitingDispatch<State: Sendable>: Completion {
    private let continuation: CheckedContinuation<Dispatched<State>, any Error>

    init(_ continuation: CheckedContinuation<Dispatched<State>, any Error>) {
        self.continuation = continuation
    }

    func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(_, let version, _, let state?):
            guard let state = state as? State else {
                return continuation.resume(throwing: CoreFailure.unknown)
            }
            continuation.resume(returning: Dispatched(version: version, state: state))
        case .refused(let refusal, _):
            continuation.resume(throwing: refusal)
        case .cancelled:
            continuation.resume(throwing: CancellationError())
        case .failed(let failure):
            continuation.resume(throwing: failure)
        case .applied, .replayed, .keyTaken, .versionMismatch, .dryRun:
            continuation.resume(throwing: CoreFailure.unknown)
        }
    }
}
