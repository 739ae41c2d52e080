extension Engine {
    /// Takes an action whose dispatcher waits for the outcome.
    ///
    /// - Parameter watch: is told of the effects that follow.
    func dispatch(
        _ action: any Action,
        watch: EffectWatch? = nil,
        reportingTo continuation: CheckedContinuation<Dispatched<State>, any Error>
    ) {
        if isPlain {
            enqueue(action, continuation)
            return
        }
        let waiting = WaitingDispatch(continuation)
        do {
            try offer(
                Envelope<State>(
                    members: [try member(of: action)],
                    wantsState: true,
                    watch: watch,
                    completion: waiting
                )
            )
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// Somebody who awaits an action.
final class WaitingDispatch<State: Sendable>: Completion {
    private let continuation: CheckedContinuation<Dispatched<State>, any Error>

    init(_ continuation: CheckedContinuation<Dispatched<State>, any Error>) {
        self.continuation = continuation
    }

    func complete(_ outcome: Outcome<State>) {
        switch outcome {
        case .applied(_, let version, _, let state?):
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
