import HTTPTransport
import StoreCore
import Wire

/// `POST /sessions`: begins a session, whose secret goes to the client as a cookie.
struct SessionsRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["POST"]
    let store: Store<State>
    let table: SessionTable

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.crossOrigin(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        IdleSessions.end(in: store, table)
        let secret = SessionTable.newSecret()
        let name = SessionTable.name(of: secret)
        let address = exchange.peerHost
        do {
            try table.begin(name, from: address)
        } catch {
            switch error {
            case .full: throw .overloaded("\(table.sessionsMax) sessions are open already")
            case .addressFull:
                throw .overloaded(
                    "\(table.perAddressMax) sessions that \(address) has begun are open already; "
                        + "DELETE /session ends one"
                )
            }
        }
        try SessionTicket(exchange, store) { [table] version in
            guard let version else {
                table.end(name)
                return nil
            }
            var json = JSONWriter()
            json.object { json in
                json.member("session", name)
                json.member("version", version)
            }
            return HTTPResponse(
                status: 201,
                headers: [
                    ("Content-Type", "application/json"), ("Cache-Control", "no-store"),
                    ("Location", "/session"), SessionCookie.set(secret),
                ],
                body: .bytes(json.array)
            )
        }.dispatch(.began(session: name), from: [name])
    }
}

/// `DELETE /session`: ends the client's session; its streams end, and so do the effects that work for it
/// alone.
struct SessionRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["DELETE"]
    let store: Store<State>
    let table: SessionTable

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.crossOrigin(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard let name = try store.sessions(of: exchange).first else {
            throw .notFound(path: exchange.path)
        }
        table.beginEnding(name)
        try SessionTicket(exchange, store) { [store, table] version in
            guard version != nil else {
                table.keep(name)
                return nil
            }
            table.end(name)
            store.streams.endStreams(of: name)
            return HTTPResponse(
                status: 204,
                headers: [("Cache-Control", "no-store"), SessionCookie.forget]
            )
        }.dispatch(.ended(session: name), from: [])
    }
}

/// A request that is answered when a session has begun or ended.
private final class SessionTicket<State: Codable & Equatable & Sendable>: Completion {
    private let exchange: HTTPExchange
    private let store: Store<State>
    private let response: @Sendable (UInt64?) -> HTTPResponse?
    private let requestID = RequestID.next()

    /// - Parameter response: makes the answer, given the version; is told of `nil` where nothing was
    ///   applied.
    init(
        _ exchange: HTTPExchange,
        _ store: Store<State>,
        response: @escaping @Sendable (UInt64?) -> HTTPResponse?
    ) {
        self.exchange = exchange
        self.store = store
        self.response = response
    }

    func dispatch(_ action: Sessions.Internal, from sessions: [String]) throws(Problem) {
        let envelope: Envelope
        do {
            envelope = Envelope(
                members: [try store.registry.member(of: action, store.encoder)],
                requestID: requestID,
                sessions: sessions,
                origin: store.origin(of: exchange, in: sessions),
                completion: self
            )
            try store.core.offer(envelope, wakes: false)
        } catch {
            _ = response(nil)
            throw .overloaded("\(store.configuration.mailboxMax) actions wait already")
        }
        exchange.park()
        store.offered()
    }

    func complete(_ outcome: Outcome) {
        if case .applied(_, let version, _, _) = outcome, let answer = response(version) {
            exchange.complete(answer)
            return
        }
        _ = response(nil)
        switch outcome {
        case .failed(.storageFull):
            exchange.complete(Problem.storageFull().response(for: requestID))
        case .failed(.unknown): exchange.abandon()
        default: exchange.complete(Problem.draining().response(for: requestID))
        }
    }
}
