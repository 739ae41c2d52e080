import StoreTraces
import Synchronization

// Actions that the program itself dispatches: from effects, presenters and reactions.

extension Engine {
    /// Dispatches an action of the program itself, behind the waiting items. `onOutcome` receives
    /// the version that the action made; `nil` if the action was not applied.
    ///
    /// The engine reports an action that was not applied to ``CommitFollower/didDrop(_:)``.
    package func dispatchProgramAction(
        _ action: any Action,
        from source: ActionSource,
        onOutcome: (@Sendable (UInt64?) -> Void)? = nil
    ) {
        try? offerProgramAction(action, from: source, onOutcome: onOutcome)
    }

    /// Dispatches an action like ``dispatchProgramAction(_:from:onOutcome:)``.
    ///
    /// - Throws: the error of the mailbox if the mailbox does not take the action. An encoding
    ///   error is not thrown, but reported as a dropped action.
    package func offerProgramAction(
        _ action: any Action,
        from source: ActionSource,
        onOutcome: (@Sendable (UInt64?) -> Void)? = nil
    ) throws(MailboxError) {
        do {
            let span = beginSpan(within: source.trace)
            let member = try member(of: action).withTrace(
                span?.identity.traceparent ?? source.trace
            )
            let completion = UnawaitedCompletion(source.watch, onOutcome: onOutcome) {
                [unowned self] in
                reportDropped(DroppedAction(type: member.type, source: source, reason: $0))
            }
            source.watch?.begin()
            do {
                try offer(
                    Envelope(members: [member], source: source, span: span, completion: completion)
                )
            } catch {
                source.watch?.end()
                throw error
            }
        } catch {
            onOutcome?(nil)
            reportDropped(DroppedAction(type: "\(type(of: action))", source: source, reason: error))
            if let error = error as? MailboxError { throw error }
        }
    }

    /// Counts an action that was not applied and whose outcome no client awaits. Reports the action
    /// to ``CommitFollower/didDrop(_:)``.
    func reportDropped(_ action: DroppedAction) {
        droppedActionCount.add(1, ordering: .relaxed)
        ports.follower?.didDrop(action)
    }
}

// Actions of a module's effects and presenters.

extension Engine {
    /// Submits an action that a module's effect has dispatched, and waits until the action is
    /// durable.
    ///
    /// - Returns: the version that the action made.
    /// - Throws: ``DispatchError`` with the code `foreignAction` for an action that only another
    ///   module may dispatch, or with a code of `Core.apply(_:)`.
    func submit(
        _ action: any Action,
        by module: String,
        _ instance: String?,
        from source: ActionSource
    ) async throws(DispatchError) -> UInt64 {
        let action = try authorize(action, by: module, instance, from: source)
        let span = beginSpan(within: source.trace)
        let member = try validMember(of: action).withTrace(
            span?.identity.traceparent ?? source.trace
        )
        return try await offerAndWait { completion in
            Envelope(members: [member], source: source, span: span, completion: completion)
        }.version
    }

    /// Returns the journal's form of an action, or throws the error that the action's dispatcher
    /// gets.
    func validMember(of action: any Action) throws(DispatchError) -> EnvelopeMember {
        do {
            return try member(of: action)
        } catch let refusal as Refusal {
            throw DispatchError(refusal)
        } catch {
            throw DispatchError(.invalidAction, "\(error)")
        }
    }

    /// Calls `make` with a completion, offers the returned envelope, and waits until the envelope
    /// is applied.
    func offerAndWait(
        _ make: (any Completion) -> Envelope
    ) async throws(DispatchError) -> (version: UInt64, state: RequestedState?) {
        let result = await withCheckedContinuation { continuation in
            do throws(MailboxError) {
                try offer(make(AwaitingCompletion(continuation)))
            } catch {
                continuation.resume(returning: .failure(DispatchError(error)))
            }
        }
        let outcome = try result.get()
        guard case .applied(_, let version, _, let state) = outcome else {
            throw outcome.dispatchError ?? DispatchError(CoreFailure.outcomeUnknown)
        }
        return (version, state)
    }

    /// Dispatches an action of a module's effect or presenter, behind the waiting items. Drops an
    /// action that only another module may dispatch. The whole state's presenters have no module;
    /// they may dispatch all actions.
    func send(
        _ action: any Action,
        by module: String?,
        _ instance: String? = nil,
        from source: ActionSource
    ) {
        guard let action = try? authorize(action, by: module, instance, from: source) else {
            return
        }
        dispatchProgramAction(action, from: source)
    }

    /// Returns an action in the form in which a module may dispatch it: an action of the module
    /// itself gets the id of the instance. Refuses an action that only another module may dispatch,
    /// and reports the action as dropped.
    private func authorize(
        _ action: any Action,
        by module: String?,
        _ instance: String?,
        from source: ActionSource
    ) throws(DispatchError) -> any Action {
        guard let module, let found = stateOwner.module(of: action) else { return action }
        if found.name.isSame(as: module) {
            guard let instance, !(action is AddressedAction) else { return action }
            return action.to(instance)
        }
        guard found.isActionPrivate else { return action }
        let type = (try? member(of: action))?.type ?? "\(type(of: action))"
        let foreign = DispatchError.foreign(type, of: found.name, by: module)
        reportDropped(DroppedAction(type: type, source: source, reason: foreign))
        throw foreign
    }
}

/// The completion for a caller that awaits an outcome: resumes the caller.
private final class AwaitingCompletion: Completion {
    typealias Continuation = CheckedContinuation<Result<Outcome, DispatchError>, Never>

    private let continuation: Continuation

    init(_ continuation: Continuation) { self.continuation = continuation }

    func complete(_ outcome: Outcome) { continuation.resume(returning: .success(outcome)) }
}

/// A command that the screens of a session execute once, such as to scroll, to focus a field, or to
/// play a sound. The state does not contain commands.
package struct ScreenCommand: Sendable {
    package let name: String
    /// The data for the command; `nil` if the command needs no data.
    package let payload: (any Encodable & Sendable)?
    package let session: String
}

/// The error of a command that no screen can receive.
struct ScreenlessCommand: Error, CustomStringConvertible {
    let description = "the root state has no sessions, and so no screens for commands"
}

extension Engine {
    /// Sends a command of the program to a session's screens. If the root state has no sessions,
    /// drops and reports the command.
    func sendCommand(
        _ name: String,
        _ payload: (any Encodable & Sendable)?,
        for session: String,
        from source: ActionSource
    ) {
        if let send = ports.sendScreenCommand {
            return send(ScreenCommand(name: name, payload: payload, session: session))
        }
        let type = "the command '\(name)'"
        reportDropped(DroppedAction(type: type, source: source, reason: ScreenlessCommand()))
    }
}
