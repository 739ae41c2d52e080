extension Core {
    /// Dispatches an action for a caller that awaits it. Resumes the continuation once: with the
    /// state that the action made, or with the error. The watch ends with the effects of the
    /// action.
    func dispatch(
        _ action: any Action,
        watch: EffectWatch? = nil,
        from session: String? = nil,
        by principal: ActionPrincipal? = nil,
        reportingTo continuation: CheckedContinuation<Dispatched<State>, any Error>
    ) {
        do {
            try engine.offer(
                Envelope(
                    members: [try engine.member(of: action)],
                    principal: principal,
                    // The outcome must have the state of this action's own version. The Core may
                    // have a newer state when it delivers the outcome.
                    wantsState: true,
                    watch: watch,
                    session: session,
                    completion: WaitingDispatch(continuation)
                )
            )
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// The completion that resumes the caller which awaits an action.
private final class WaitingDispatch<State: Sendable>: Completion {
    private let continuation: CheckedContinuation<Dispatched<State>, any Error>

    init(_ continuation: CheckedContinuation<Dispatched<State>, any Error>) {
        self.continuation = continuation
    }

    func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(_, let version, _, let state?):
            // The engine does not have the type of the state, but its state is always of this
            // Core's type.
            guard let state = state.value as? State else {
                return continuation.resume(throwing: CoreFailure.unknown)
            }
            continuation.resume(returning: Dispatched(version: version, state: state))
        case .refused(let refusal, _):
            continuation.resume(throwing: refusal)
        case .cancelled:
            continuation.resume(throwing: CancellationError())
        case .failed(let failure):
            continuation.resume(throwing: failure)
        // The envelope above asks for the state, and has no key, no version condition and no dry
        // run. None of these outcomes can occur.
        case .applied, .replayed, .keyTaken, .versionMismatch, .dryRun:
            continuation.resume(throwing: CoreFailure.unknown)
        }
    }
}
