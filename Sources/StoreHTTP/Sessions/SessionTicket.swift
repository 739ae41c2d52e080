import ActionCatalog
import HTTPTransport
import StoreCore
import StorePatterns
import Wire

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
        let envelope: Envelope
        do {
            envelope = Envelope(
                members: try ([action] + following).map {
                    try store.actions.member(of: $0, store.encoder)
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
        case .refused(let refusal, _):
            let reason = store.reader.reason(of: refusal, isSeen: true)
            request.exchange.complete(request.response(.refused(reason: reason)))
        case .failed(.unknown): request.exchange.abandon()
        case .failed(.journalFailed):
            request.exchange.complete(request.response(.journalFailed()))
        default: request.exchange.complete(request.response(.draining()))
        }
    }
}
