import StorePlatform
import Synchronization

/// A Core, whatever its state's type is: the way in for requests, which look up no generic type for
/// it.
///
/// Any thread may call anything here; nothing waits for the Core.
package struct CoreHandle: Sendable {
    private let engine: Engine

    init(_ engine: Engine) {
        self.engine = engine
    }

    /// Takes an envelope, or refuses it. A caller that offers many in a row does so without waking
    /// the Core's thread, and calls ``nudge()`` in the end; else the thread would be woken for each
    /// and find just that one.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` once the
    ///   Core stops.
    package func offer(_ envelope: Envelope, wakes: Bool = true) throws(MailboxError) {
        try engine.offer(envelope, wakes: wakes)
    }

    /// Wakes the Core's thread if it sleeps although something waits.
    package func nudge() {
        engine.nudge()
    }

    /// Takes a client's request for what is no action, or refuses it. The completion receives
    /// whether the request was recorded, and so the work begun; the watch ends with the work, and
    /// all that it leads to. The record, and what follows it, are a part of the trace.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` once the
    ///   Core stops.
    package func offer(
        _ request: ClientRequest,
        requestID: String? = nil,
        principal: ActionPrincipal? = nil,
        from session: String? = nil,
        origin: String? = nil,
        trace: String? = nil,
        watch: EffectWatch? = nil,
        completion: any Completion
    ) throws(MailboxError) {
        let member = EnvelopeMember(action: request, type: request.name, payload: [123, 125])
        try engine.enter(
            .envelope(
                Envelope(
                    members: [member.traced(trace)],
                    requestID: requestID,
                    principal: principal,
                    watch: watch,
                    session: session,
                    origin: origin,
                    completion: completion
                )
            ),
            .own
        )
    }

    /// Dispatches what the program makes of something outside, for this session. `cause` is the
    /// version of the record of what was asked; `nil` where nothing was. `place` is where in the
    /// program that is decided. The watch ends with all that follows.
    package func dispatchProgramAction(
        _ action: any Action,
        after cause: UInt64? = nil,
        at place: String,
        from session: String? = nil,
        principal: ActionPrincipal? = nil,
        trace: String? = nil,
        watch: EffectWatch? = nil
    ) {
        var source = ActionSource(cause: cause, place: place)
        source.watch = watch
        source.session = session
        source.principal = principal
        source.trace = trace
        engine.dispatchProgramAction(action, from: source)
    }

    /// Takes an action that a client's streams lead to, or refuses it. The log shows the client as
    /// `origin`.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` once the
    ///   Core stops.
    package func offerProgramAction(
        _ action: any Action,
        from session: String?,
        origin: String
    ) throws(MailboxError) {
        try engine.offerProgramAction(action, from: session, origin: origin)
    }

    /// The effects that run and those that will, where the state is made of modules.
    package var effects: EffectRunner? { engine.ports.effects }

    /// Decides to which sessions modules are presented, where one of them brings that.
    package var presentation: (any Presentation)? { engine.ports.presentation }

    /// How many actions of clients and of the program's own wait now, and how many of each may.
    package var mailboxFigures: (clients: Int, clientsMax: Int, own: Int, ownMax: Int) {
        engine.mailbox.withLock { ($0.clients, $0.clientsMax, $0.own, $0.ownMax) }
    }

    /// Actions that the mailbox did not take, since the start.
    package var mailboxRefusedTotal: UInt64 { engine.refusedTotal }

    /// Actions of presenters and reactions that were not applied, since the start.
    package var droppedTotal: UInt64 { engine.droppedTotal }
}

extension Core {
    /// This Core, for those for whom its state's type does not matter.
    package var handle: CoreHandle { CoreHandle(engine) }
}
