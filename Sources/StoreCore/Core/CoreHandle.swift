import StorePlatform
import Synchronization

/// A Core without the type of its state. Requests use it, so that they need no lookup of a generic
/// type at run time.
///
/// Any thread may make any call; no call waits for the Core.
package struct CoreHandle: Sendable {
    private let engine: Engine

    init(_ engine: Engine) {
        self.engine = engine
    }

    /// Accepts or refuses an envelope. A caller that offers several in a row passes `wakes: false`
    /// and calls ``wakeIfNeeded()`` at the end. Otherwise each envelope would wake the Core's
    /// thread, which would find only that envelope.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` after the
    ///   Core has stopped.
    package func offer(_ envelope: Envelope, wakes: Bool = true) throws(MailboxError) {
        try engine.offer(envelope, wakes: wakes)
    }

    /// Wakes the Core's thread if it sleeps while items wait.
    package func wakeIfNeeded() {
        engine.wakeIfNeeded()
    }

    /// Claims the Core's turn for the calling thread, or wakes the Core if it sleeps while items
    /// wait. After a claim, the caller has to call ``runClaimedTurn()``.
    package func claimTurn() -> Bool {
        engine.claimTurn()
    }

    /// Runs the turn that the calling thread has claimed.
    package func runClaimedTurn() {
        engine.runClaimedTurn()
    }

    /// Accepts or refuses a client request that is no action. If the outcome of the completion is
    /// `applied`, the request is recorded and its work begins. The watch ends with the work and all
    /// its consequences. The record and its consequences belong to `trace`.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` after the
    ///   Core has stopped.
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

    /// Dispatches an action that the program makes for this session in answer to an outside event.
    /// `cause` is the version of the recorded request; `nil` if there was none. `place` is the
    /// place of the decision in the source. The watch ends with all consequences of the action.
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

    /// Accepts or refuses an action that follows from the streams of a client. The log shows the
    /// client as `origin`.
    ///
    /// - Throws: ``MailboxError/full`` at the mailbox's bound; ``MailboxError/closed`` after the
    ///   Core has stopped.
    package func offerProgramAction(
        _ action: any Action,
        from session: String?,
        origin: String
    ) throws(MailboxError) {
        try engine.offerProgramAction(action, from: session, origin: origin)
    }

    /// The runner of the effects, if the state is made of modules.
    package var effects: EffectRunner? { engine.ports.effects }

    /// The presentation, which decides to which sessions modules are presented; `nil` if no module
    /// has one.
    package var presentation: (any Presentation)? { engine.ports.presentation }

    /// The number of waiting actions of clients and of the program itself, and both bounds.
    package var mailboxFigures: (clients: Int, clientsMax: Int, own: Int, ownMax: Int) {
        engine.mailbox.withLock { ($0.clients, $0.clientsMax, $0.own, $0.ownMax) }
    }

    /// The number of actions since the start that the mailbox did not take.
    package var mailboxRefusedTotal: UInt64 { engine.refusedTotal }

    /// The number of the program's own actions, since the start, that were not applied.
    package var droppedTotal: UInt64 { engine.droppedTotal }
}

extension Core {
    /// This Core for callers that do not need the type of its state.
    package var handle: CoreHandle { CoreHandle(engine) }
}
