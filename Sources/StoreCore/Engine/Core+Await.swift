extension Core {
    /// Dispatches an action for a caller that awaits it: resumes the continuation once, with the
    /// state that the action made, or with the reason why it made none. The watch ends with the
    /// effects that follow.
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
                    // The outcome then has the state of this action's own version: when it is
                    // delivered, the Core may have a newer one.
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

/// Resumes the caller that awaits an action. The engine calls it once, after the commit.
private final class WaitingDispatch<State: Sendable>: Completion {
    private let continuation: CheckedContinuation<Dispatched<State>, any Error>

    init(_ continuation: CheckedContinuation<Dispatched<State>, any Error>) {
        self.continuation = continuation
    }

    func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(_, let version, _, let state?):
            // The engine knows no type of state; the one that it has is always this Core's.
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
        // The envelope above asks for the state, and has no key, no expected version and no dry
        // run, so none of these is its outcome.
        case .applied, .replayed, .keyTaken, .versionMismatch, .dryRun:
            continuation.resume(throwing: CoreFailure.unknown)
        }
    }
}
