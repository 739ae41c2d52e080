import StoreTraces

// The part of the engine that effects and presenters use.

extension Core: EngineAccess {
    /// Returns the current state for an effect; an empty value if the Core has stopped.
    package func read() async -> any Sendable {
        await withCheckedContinuation { continuation in
            let isTaken = engine.perform { [owner] _ in
                continuation.resume(returning: owner.current)
            }
            if !isTaken { continuation.resume(returning: ()) }
        }
    }

    package func read(as session: String?) async -> any Sendable {
        await withCheckedContinuation { continuation in
            let isTaken = engine.perform { [owner] _ in
                // The Core's own copy shows the slices of the last action's session.
                var state = owner.current
                owner.machine?.show(&state, to: session)
                continuation.resume(returning: state)
            }
            if !isTaken { continuation.resume(returning: ()) }
        }
    }

    /// Runs a task on the thread that does the Core's work, behind the waiting items. Returns
    /// `false`, without running the task, if the Core has stopped.
    @discardableResult
    package func enqueue(_ task: @escaping @Sendable () -> Void) -> Bool {
        engine.perform { _ in task() }
    }

    /// Submits an effect's action, and waits until it is durable.
    package func submit(_ action: any Action, from origin: ActionSource) async throws -> UInt64 {
        let span = engine.span(within: origin.trace)
        let member = try engine.member(of: action)
            .traced(span?.identity.traceparent ?? origin.trace)
        return try await withCheckedThrowingContinuation { continuation in
            do {
                try engine.offer(
                    Envelope(
                        members: [member],
                        source: origin,
                        span: span,
                        completion: WaitingVersion(continuation)
                    )
                )
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    package func dispatchProgramAction(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)?
    ) {
        engine.dispatchProgramAction(action, from: source, applied: applied)
    }

    package func refuses(
        _ action: any Action,
        by module: String,
        _ source: ActionSource
    ) -> ForeignAction? {
        guard case .machine(let machine) = owner.form, let owner = machine.inside(of: action),
            !owner.isSame(as: module)
        else { return nil }
        let type = (try? engine.member(of: action))?.type ?? "\(type(of: action))"
        let foreign = ForeignAction(action: type, of: owner, by: module)
        engine.drop(DroppedAction(type: type, source: source, reason: foreign))
        return foreign
    }

    package func command(_ command: ScreenCommand, from source: ActionSource) {
        engine.command(command, from: source)
    }

    package func isOwn(_ action: any Action, of module: String) -> Bool {
        guard case .machine(let machine) = owner.form else { return false }
        return machine.module(of: action) == module
    }
}

/// The completion that resumes the effect which awaits its action.
private final class WaitingVersion: Completion {
    private let continuation: CheckedContinuation<UInt64, any Error>

    init(_ continuation: CheckedContinuation<UInt64, any Error>) {
        self.continuation = continuation
    }

    func complete(_ outcome: Outcome) {
        switch outcome {
        case .applied(_, let version, _, _): continuation.resume(returning: version)
        case .refused(let refusal, _): continuation.resume(throwing: refusal)
        case .failed(let failure): continuation.resume(throwing: failure)
        case .cancelled: continuation.resume(throwing: CancellationError())
        // The envelope above has no key, no version condition and no dry run, so none of these
        // outcomes can occur.
        case .replayed, .keyTaken, .versionMismatch, .dryRun:
            continuation.resume(throwing: CoreFailure.unknown)
        }
    }
}
