import ActionCatalog
import Digest
import EventStream
import HTTPTransport
import StoreCore
import Traces
import Wire

/// Makes an envelope of a request and hands it to the Core.
///
/// A class, so that what it needs is not copied for each request.
final class DispatchHandler: Sendable {
    private let store: Store
    private let reader: MemberReader
    private let batchMax: Int

    init(
        _ store: Store,
        limits: JSONLimits,
        batchMax: Int,
        audience: ActionAudience
    ) {
        self.store = store
        reader = MemberReader(
            table: store.actions,
            audience: audience,
            limits: limits,
            logger: store.logger
        )
        self.batchMax = batchMax
    }

    /// Dispatches the actions of a request; with an instance, those of that one's view.
    func dispatch(_ request: RequestContext, to instance: String? = nil) throws(Problem) {
        let exchange = request.exchange
        let store = store
        let dryRun = exchange.hasQuery && request[DispatchParameters.dryRun]
        let link = exchange.hasQuery ? try Self.link(of: request) : nil
        let cancelsOnClose = exchange.hasQuery && request[CancelOnClose.parameter] != nil
        let caller = try request.caller()
        let expected = try expectedVersion(exchange, for: caller)
        let reader = instance.map { self.reader.ofInstance($0) } ?? reader
        let idempotency = try Self.idempotency(exchange, of: caller, reader, link)
        let preferences = request.preferences
        let span = exchange.isNoted ? exchange.span.map { DispatchSpan($0.child()) } : nil
        let trace = span?.identity.traceparent ?? exchange.traceparent
        let body =
            if let link {
                try DispatchBody(link: link, by: reader, from: caller.identity, in: trace)
            } else {
                try DispatchBody(request, by: reader, batchMax, from: caller.identity, in: trace)
            }

        if let limits = request.environment.web.limits {
            try limits.take(.actions, body.members.count, of: exchange)
        }
        let ticket = DispatchTicket(
            request: request,
            store: store,
            preferences: preferences,
            isBatch: body.isBatch,
            caller: caller,
            isSeen: isSeen(body.members, by: caller)
        )
        let envelope = Envelope(
            members: body.members,
            requestID: request.id.text,
            principal: caller.stamp,
            expectedVersion: expected?.version,
            expectsExactly: expected?.isExact ?? false,
            idempotency: dryRun ? nil : idempotency,
            mode: dryRun ? .dryRun : .apply,
            endsBatch: preferences.returned == .representation,
            watch: ticket.watch,
            audience: body.audience,
            session: caller.session,
            origin: request.origin(in: caller.session),
            sees: store.reader.moduleSight(of: caller),
            offered: exchange.turnBegan,
            span: span,
            completion: ticket
        )
        // A client that leaves is noticed in suspension alone; what takes long gets there soon by
        // itself.
        if cancelsOnClose, ticket.watch != nil { exchange.suspend() } else { exchange.park() }
        if cancelsOnClose { CancelOnClose.arrange(for: exchange, ticket.watch, store.core.effects) }
        do {
            try store.core.offer(envelope, wakes: false)
            store.offered()
        } catch {
            switch error {
            case .full:
                ticket.answer(
                    .overloaded("\(store.bounds.mailboxMax) actions wait already")
                )
            case .closed:
                ticket.answer(.draining())
            }
            store.wake()
        }
    }

    /// Whether a caller sees the modules of all actions, and so why they are refused.
    private func isSeen(_ members: [EnvelopeMember], by caller: Caller) -> Bool {
        guard let sight = caller.viewer.sight else { return true }
        let actions = store.actions.entries
        return members.allSatisfy { member in
            guard actions.indices.contains(member.number) else { return false }
            return actions[member.number].module.map { sight.sees(module: $0) } ?? false
        }
    }

    /// The action that stands in the query, as the links of views have it; `nil` where the body has
    /// it.
    ///
    /// A page of any site can have a browser send a POST without a body, so only pages of the
    /// server's own may follow a link.
    ///
    /// - Throws: 403 for a page of another origin, 400 where there is a body, too, and 415 for a
    ///   body that is not said to be JSON.
    private static func link(of request: RequestContext) throws(Problem) -> String? {
        guard let link = request[DispatchParameters.action] else {
            guard request.exchange.isJSON else { throw .unsupportedMediaType() }
            return nil
        }
        try request.environment.web.origins.require(request.exchange)
        guard request.hasNoBody else {
            throw .badRequest(
                "The action stands in the query parameter \"action\", and there is a body, too. "
                    + "Leave one of them out."
            )
        }
        return link
    }

    /// The version that `If-Match` asks for, or `nil` where any will do.
    ///
    /// A list may name several tags. Of those that were published, the newest is the one that holds
    /// longest; the Core knows whether it still does, where versions may change nothing that the
    /// caller sees. It can't hold where all see the same and another version is there, and where a
    /// batch has changed what the caller sees it may not: then the lowest of those to come goes
    /// before it, the only one that the Core can meet next. Where there is none the Core is asked
    /// for one that it never meets: only the Core can look up whether the request was applied
    /// before, and then the condition does not count.
    ///
    /// Views may show a caller something of what it does not see otherwise. It may not find out
    /// when that changes, and what it has been shown may be old: the condition is exact then.
    private func expectedVersion(
        _ exchange: HTTPExchange,
        for caller: Caller
    ) throws(Problem) -> (version: UInt64, isExact: Bool)? {
        guard let header = exchange.headerList("if-match") else { return nil }
        guard let condition = EntityTagCondition(header) else {
            throw .badHeader(
                "If-Match",
                allowed: "* or quoted tags such as \(store.reader.tag.etag)"
            )
        }
        guard case .list(let tags) = condition else { return nil }
        let isExact = store.reader.showsUnseen(to: caller)
        let epoch = store.reader.epoch
        let state = store.reader.state(for: caller)
        let current = state.version
        let mayHold = state.isPartial && !isExact
        let oldest = mayHold ? state.changedVersion : current
        let versions = tags.compactMap { Tag($0) }.filter { $0.epoch == epoch }.map(\.version)
        let published = versions.filter { $0 <= current }.max()
        if let published, published >= oldest { return (published, isExact) }
        let next = versions.filter { $0 > current }.min()
        return (next ?? (mayHold ? published : nil) ?? .max, isExact)
    }

    /// The request's key and its fingerprint, where the client means to be able to send it again
    /// (protocol 2.8).
    private static func idempotency(
        _ exchange: HTTPExchange,
        of caller: Caller,
        _ reader: MemberReader,
        _ link: String?
    ) throws(Problem) -> Idempotency? {
        guard let header = exchange.headerList("idempotency-key") else { return nil }
        guard let key = StructuredString.parse(header),
            1...keyCharactersMax ~= key.utf8.count
        else {
            throw .badHeader(
                "Idempotency-Key",
                allowed:
                    "a string of 1 to \(keyCharactersMax) characters in double quotes, such as "
                    + "\"8e03978e-40d5\""
            )
        }
        let audience = reader.audience
        return Idempotency(
            key: IdempotencyKey(principal: caller.keyOwner, key: key),
            fingerprint: link.map {
                var link = $0
                return link.withUTF8 { fingerprint(of: UnsafeRawBufferPointer($0), for: audience) }
            } ?? exchange.withBody { fingerprint(of: $0, for: audience) }
        )
    }

    /// Of the body; for a view with its module and its instance, whose names the body may leave
    /// out: two views may send the same bytes and mean different actions.
    private static func fingerprint(
        of body: UnsafeRawBufferPointer,
        for audience: ActionAudience
    ) -> [UInt8] {
        guard case .views(let module, let instance) = audience else { return SHA256.digest(body) }
        // No name has a byte of 255 in it.
        let view = instance.map { Array(module.utf8) + [255] + Array($0.utf8) + [255] }
        return ((view ?? Array(module.utf8) + [0]) + body).withUnsafeBytes { SHA256.digest($0) }
    }

    private static let keyCharactersMax = 255
}
