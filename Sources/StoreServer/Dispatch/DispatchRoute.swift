import Digest
import HTTPTransport
import StoreCore
import Wire

/// `POST /dispatch`: reads actions, hands them to the Core, answers when they are applied.
struct DispatchRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["POST"]
    let store: Store<State>
    let limits: JSONLimits
    let batchMax: Int
    var audience = ActionAudience.everybody
    /// Kept, because asking for a generic type is a search at run time.
    private let tickets = DispatchTicket<State>.self as DispatchTicket<State>.Type

    func admit(_ request: HTTPExchange) -> Problem? {
        let isPlainJSON = request.header("content-type", is: "application/json")
        guard isPlainJSON || request.header("content-type").map(MediaType.isJSON) == true else {
            return .unsupportedMediaType()
        }
        if let coding = request.header("content-encoding"), coding.lowercased() != "identity" {
            return .unsupportedEncoding(coding)
        }
        return nil
    }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        var dryRun = false
        var cancelsOnClose = false
        if exchange.hasQuery {
            let query = try Query.of(exchange, allowed: ["dry-run", CancelOnClose.parameter])
            do { dryRun = try query.flag("dry-run") } catch { throw .badRequest(error.detail) }
            cancelsOnClose = try CancelOnClose.isAsked(by: query)
        }
        let expected = try expectedVersion(exchange)
        let idempotency = try dryRun ? nil : Self.idempotency(exchange)
        let sessions = try store.sessions(of: exchange)
        let preferences = exchange.headerList("prefer").map { Preferences($0) } ?? Preferences()
        let body = try DispatchBody(
            exchange,
            actions: store.actions,
            for: audience,
            limits,
            batchMax
        )

        let ticket = tickets.init(
            exchange: exchange,
            store: store,
            preferences: preferences,
            isBatch: body.isBatch,
            session: sessions.first
        )
        let envelope = Envelope(
            members: body.members,
            requestID: ticket.requestID,
            expectedVersion: expected,
            idempotency: idempotency,
            mode: dryRun ? .dryRun : .apply,
            endsBatch: preferences.returned == .representation,
            watch: ticket.watch,
            audience: body.audience,
            sessions: sessions,
            origin: store.origin(of: exchange, in: sessions),
            completion: ticket
        )
        // A client that leaves is noticed in suspension alone; what takes long gets there soon by itself.
        if cancelsOnClose, ticket.watch != nil { exchange.suspend() } else { exchange.park() }
        if cancelsOnClose { CancelOnClose.arrange(for: exchange, ticket.watch, store.core.effects) }
        do {
            try store.core.offer(envelope, wakes: false)
            store.offered()
        } catch {
            switch error {
            case .full:
                ticket.answer(
                    .overloaded("\(store.configuration.mailboxMax) actions wait already")
                )
            case .closed:
                ticket.answer(.draining())
            }
            store.wake()
        }
    }

    /// The version that `If-Match` asks for, or `nil` where any will do.
    ///
    /// A list may name several tags. Versions only grow, so of those below the published one none can
    /// match any more; the lowest of the rest is the only one that the Core can meet next. Where there
    /// is none the Core is asked for one that it never meets: it alone can say whether the request was
    /// applied before, and then the condition does not count.
    private func expectedVersion(_ exchange: HTTPExchange) throws(Problem) -> UInt64? {
        guard let header = exchange.headerList("if-match") else { return nil }
        guard let condition = EntityTagCondition(header) else {
            throw .badHeader(
                "If-Match",
                allowed: "* or quoted tags such as \(store.publisher.snapshot.etag)"
            )
        }
        guard case .list(let tags) = condition else { return nil }
        let epoch = store.publisher.epoch
        let current = store.publisher.snapshot.version
        let candidates = tags.compactMap { Tag($0) }
            .filter { $0.epoch == epoch && $0.version >= current }
        return candidates.map(\.version).min() ?? .max
    }

    /// The request's key and its body's fingerprint, where the client means to be able to send it
    /// again (protocol 2.8).
    private static func idempotency(_ exchange: HTTPExchange) throws(Problem) -> Idempotency? {
        guard let header = exchange.headerList("idempotency-key") else { return nil }
        guard let key = StructuredString.parse(header), 1...keyCharactersMax ~= key.utf8.count
        else {
            throw .badHeader(
                "Idempotency-Key",
                allowed:
                    "a string of 1 to \(keyCharactersMax) characters in double quotes, such as "
                    + "\"8e03978e-40d5\""
            )
        }
        return Idempotency(
            key: IdempotencyKey(key: key),
            fingerprint: exchange.withBody { SHA256.digest($0) }
        )
    }

    private static var keyCharactersMax: Int { 255 }
}
