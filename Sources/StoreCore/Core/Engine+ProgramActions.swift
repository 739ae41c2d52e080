import StoreTraces
import Synchronization

// Actions that the program itself dispatches: from effects, presenters and reactions.

extension Engine {
    /// Dispatches an action of the program itself, behind the waiting items. `applied` receives the
    /// version that the action made; `nil` if it was not applied.
    ///
    /// The engine reports an action that was not applied to ``CommitFollower/dropped(_:)``.
    func dispatchProgramAction(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)? = nil
    ) {
        do {
            try offerProgramAction(action, from: source, applied: applied)
        } catch {
            applied?(nil)
            drop(DroppedAction(type: "\(type(of: action))", source: source, reason: error))
        }
    }

    /// Dispatches an action that follows from the streams of a client, for the client's session.
    /// The engine reports an action that is not accepted as dropped. An encoding error is not
    /// thrown.
    ///
    /// - Throws: the error of the mailbox if it does not take the action.
    func offerProgramAction(
        _ action: any Action,
        from session: String?,
        origin: String
    ) throws(MailboxError) {
        var source = ActionSource(cause: nil, place: origin)
        source.session = session
        do {
            try offerProgramAction(action, from: source, applied: nil)
        } catch {
            drop(DroppedAction(type: "\(type(of: action))", source: source, reason: error))
            if let error = error as? MailboxError { throw error }
        }
    }

    private func offerProgramAction(
        _ action: any Action,
        from source: ActionSource,
        applied: (@Sendable (UInt64?) -> Void)?
    ) throws {
        let span = span(within: source.trace)
        let member = try member(of: action).traced(span?.identity.traceparent ?? source.trace)
        source.watch?.begin()
        let envelope = Envelope(
            members: [member],
            source: source,
            span: span,
            completion: IgnoredOutcome(source.watch, applied: applied) { [unowned self] error in
                drop(DroppedAction(type: member.type, source: source, reason: error))
            }
        )
        do {
            try offer(envelope)
        } catch {
            source.watch?.end()
            throw error
        }
    }

    /// Counts an action that was not applied and whose outcome no client awaits. Reports it to
    /// ``CommitFollower/dropped(_:)``.
    func drop(_ action: DroppedAction) {
        dropped.add(1, ordering: .relaxed)
        ports.follower?.dropped(action)
    }
}

/// A command that the screens of a session execute once, such as to scroll, to focus a field, or to
/// play a sound. A command is no part of the state.
package struct ScreenCommand: Sendable {
    package let name: String
    /// The data for the command; `nil` if there are none.
    package let payload: (any Encodable & Sendable)?
    package let session: String

    package init(_ name: String, _ payload: (any Encodable & Sendable)?, for session: String) {
        self.name = name
        self.payload = payload
        self.session = session
    }
}

/// The error of a command that no screen can receive.
struct ScreenlessCommand: Error, CustomStringConvertible {
    let description = "the root state has no sessions, and so no screens for commands"
}

extension Engine {
    /// Sends a command of the program to a session's screens. Without sessions, drops and reports
    /// the command.
    func command(_ command: ScreenCommand, from source: ActionSource) {
        if let send = ports.commands { return send(command) }
        drop(
            DroppedAction(
                type: "the command '\(command.name)'",
                source: source,
                reason: ScreenlessCommand()
            )
        )
    }
}
