import HTTPTransport
import StoreCore
import Wire

/// `POST /dispatch`: reads actions, hands them to the Core, answers when they are applied.
struct DispatchRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["POST"]
    let store: Store<State>
    let limits: JSONLimits
    let batchMax: Int

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
        let query = try Query.of(exchange, allowed: ["dry-run"])
        let dryRun: Bool
        do { dryRun = try query.flag("dry-run") } catch { throw .badRequest(error.detail) }
        let expected = try expectedVersion(exchange)
        let preferences = Preferences(exchange.headerList("prefer") ?? "")
        let body = try DispatchBody<State>(exchange, registry: store.registry, limits, batchMax)

        let ticket = DispatchTicket(
            exchange: exchange,
            store: store,
            preferences: preferences,
            isBatch: body.isBatch
        )
        let envelope = Envelope<State>(
            members: body.members,
            requestID: ticket.requestID,
            expectedVersion: expected,
            mode: dryRun ? .dryRun : .apply,
            endsBatch: preferences.returned == .representation,
            completion: ticket
        )
        exchange.park()
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
    /// match any more; the lowest of the rest is the only one that the Core can meet next.
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
        guard let version = candidates.map(\.version).min() else {
            throw .versionMismatch(current: Tag(epoch: epoch, version: current))
        }
        return version
    }
}
