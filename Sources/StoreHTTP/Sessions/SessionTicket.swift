import StoreActionCatalog
import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StorePatterns
import StoreWire

/// A request that is answered when a session has begun or ended.
final class SessionTicket: Completion {
    private let request: RequestContext
    private let store: Store
    private let response: @Sendable (UInt64?) -> HTTPResponse?

    /// A ticket whose answer `response` makes, given the version; `nil` where nothing was applied.
    init(
        _ request: RequestContext,
        _ store: Store,
        response: @escaping @Sendable (UInt64?) -> HTTPResponse?
    ) {
        self.request = request
        self.store = store
        self.response = response
    }

    /// Dispatches the action, with those that belong to it: all of them are applied, or none.
    func dispatch(
        _ action: Sessions.Internal,
        and following: [any Action] = [],
        from session: String
    ) throws(Problem) {
        let trace = request.exchange.ownTraceparent
        let envelope: Envelope
        do {
            envelope = Envelope(
                members: try ([action] + following).map {
                    try store.actions.member(of: $0, store.encoder).traced(trace)
                },
                requestID: request.id.text,
                principal: request.identity?.stamp,
                session: session,
                origin: request.origin(in: session),
                completion: self
            )
            try store.core.offer(envelope, wakes: false)
        } catch {
            _ = response(nil)
            throw .overloaded("\(store.bounds.mailboxMax) actions wait already")
        }
        request.exchange.park()
        store.offered()
    }

    func complete(_ outcome: Outcome) {
        if case .applied(_, let version, _, _) = outcome, let answer = response(version) {
            request.exchange.complete(answer)
            return
        }
        _ = response(nil)
        switch outcome {
        case .failed(.storageFull):
            request.exchange.complete(request.response(.storageFull()))
        case .refused(let refusal, let member):
            let viewer = Viewer(session: nil, sight: request.identity?.sight)
            let isSeen = module(ofStart: member - 1).map(viewer.sees(module:)) ?? true
            let reason = refusal.reason(for: viewer, where: isSeen)
            request.exchange.complete(request.response(.refused(reason: reason)))
        case .failed(.unknown): request.exchange.abandon()
        case .failed(.journalFailed):
            request.exchange.complete(request.response(.journalFailed()))
        default: request.exchange.complete(request.response(.draining()))
        }
    }

    /// The module of what starts with a session, by its place; `nil` for the session itself.
    private func module(ofStart place: Int) -> String? {
        guard store.sessionStarts.indices.contains(place),
            let type = try? store.actions.member(of: store.sessionStarts[place], store.encoder).type
        else { return nil }
        return store.actions[type]?.module
    }
}
