import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StorePatterns
import StoreWire

/// Answers a request that begins or ends a session, or that removes the slices of a user.
final class SessionTicket: DispatchTicket, @unchecked Sendable {
    // Safety: the same as for the base class; the added properties are constant.

    private let request: RequestContext
    private let makeResponse: @Sendable (UInt64?) -> HTTPResponse?

    /// Makes a ticket. The closure `response` makes the answer from the version of the action. The
    /// ticket calls the closure with `nil` if nothing was applied.
    init(
        _ request: RequestContext,
        _ store: Store,
        makeResponse: @escaping @Sendable (UInt64?) -> HTTPResponse?
    ) {
        self.request = request
        self.makeResponse = makeResponse
        super.init(
            request: request,
            store: store,
            preferences: Preferences(),
            caller: Caller(session: nil, identity: request.identity)
        )
    }

    /// Dispatches the action together with `following`: all of them are applied, or none.
    func dispatch(
        _ action: some Action,
        and following: [any Action] = [],
        from session: String?
    ) throws(Problem) {
        let trace = exchange.childTraceparent
        let members: [EnvelopeMember]
        do {
            members = try ([action as any Action] + following).map {
                try store.actions.member(of: $0, store.encoder).withTrace(trace)
            }
        } catch {
            _ = makeResponse(nil)
            let refusal = Refusal(error)
            store.logger.note(refusal, of: "\(type(of: action))", in: id.text)
            throw .refused(reason: Refusal.hiddenReasonText)
        }
        let envelope = Envelope(
            members: members,
            requestID: id.text,
            principal: caller.recordedPrincipal,
            session: session,
            origin: request.logOrigin(in: session),
            completion: self
        )
        // Park the request before the Core gets the envelope, because the Core may complete the
        // envelope at once.
        exchange.park()
        offer(envelope)
    }

    override func answerOrAwaitEffects(_ answer: AppliedAnswer) {
        guard let response = makeResponse(answer.lastVersion) else { return exchange.abandon() }
        exchange.complete(response)
    }

    override func answerFailure(_ problem: Problem?) {
        _ = makeResponse(nil)
        super.answerFailure(problem)
    }

    /// Returns true if the client may read the refusal of an action that was dispatched together
    /// with the session's beginning. The client has asked only for a session, and the program has
    /// added this action. So the client must see the action's module, or be allowed to dispatch the
    /// action itself.
    override func mayRead(_ refusal: Refusal, of member: Int) -> Bool {
        guard reader.isFiltered(for: caller) else { return true }
        guard !refusal.isByWholeState else { return false }
        // Member 0 of the envelope is the action that begins the session.
        guard store.sessionStartActions.indices.contains(member - 1) else { return true }
        let start = try? store.actions.member(
            of: store.sessionStartActions[member - 1],
            store.encoder
        )
        guard let found = start.flatMap({ store.actions[$0.type] }) else { return false }
        return found.module.map(caller.viewer.sees(module:)) == true
            || caller.identity?.mayDispatch(actionAt: found.entryIndex) == true
    }

    /// Returns `nil`: the client has sent no body, into which a pointer could lead.
    override func pointer(_ pointer: String?, into member: Int) -> String? { nil }
}
