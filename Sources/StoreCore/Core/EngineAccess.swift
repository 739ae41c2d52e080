import StoreTraces

/// The part of the engine that effects and presenters use. Any thread may make any call.
package protocol EngineAccess: AnyObject, Sendable {
    /// Returns the current root state; an empty value if the Core has stopped.
    func read() async -> any Sendable

    /// Returns the current root state, read on behalf of a session; an empty value if the Core has
    /// stopped.
    func read(as session: String?) async -> any Sendable

    /// Submits an effect's action, and waits until it is durable. Returns its version.
    func submit(_ action: any Action, from source: ActionSource) async throws -> UInt64

    /// Dispatches an action of the program itself, behind the waiting items. `applied` receives the
    /// version that the action made; `nil` if it was not applied.
    func dispatchProgramAction(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)?
    )

    /// Returns an error if the action is another module's own, and reports the action as dropped.
    /// Returns `nil` if a part of this module may dispatch it.
    func refuses(_ action: any Action, by module: String, _ source: ActionSource) -> ForeignAction?

    /// Sends a command to the screens of a session.
    func command(_ command: ScreenCommand, from source: ActionSource)

    /// Runs a task on the thread that does the Core's work, behind the waiting items. Returns
    /// `false`, without running the task, if the Core has stopped.
    @discardableResult
    func enqueue(_ task: @escaping @Sendable () -> Void) -> Bool

    /// True if an action belongs to the module with this name.
    func isOwn(_ action: any Action, of module: String) -> Bool
}

/// A weak reference to the engine, for objects that the engine owns.
package struct EngineReference: Sendable {
    package private(set) weak var engine: (any EngineAccess)?

    package init(_ engine: (any EngineAccess)? = nil) {
        self.engine = engine
    }
}

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

// Awaiting

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

/// The error for a dispatch of another module's UI action or internal action, by an effect, a use
/// case or a presenter.
///
/// The action is not applied, and the log has an error. An effect that awaits the dispatch gets
/// this error. If the other module is in a target of its own, behind a ``ModuleInterface``, the
/// compiler prevents the dispatch.
public struct ForeignAction: Error, Equatable, CustomStringConvertible {
    /// The wire name of the action.
    public let action: String
    /// The module whose own action it is.
    public let owner: String
    /// The module whose effect, use case or presenter has dispatched it.
    public let module: String

    init(action: String, of owner: String, by module: String) {
        self.action = action
        self.owner = owner
        self.module = module
    }

    /// The mistake, and how to correct it.
    public var description: String {
        "only the views, effects and presenters of module '\(owner)' dispatch \(action); this is "
            + "one of module '\(module)'; dispatch a public action of '\(owner)', or let a presenter "
            + "of '\(owner)' do it"
    }
}
