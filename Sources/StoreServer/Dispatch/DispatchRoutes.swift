import Digest
import HTTPTransport
import StoreCore
import Wire

/// `POST /dispatch`: reads actions, hands them to the Core, answers when they are applied. The same for what
/// the views of a module say, under `POST /modules/<name>/ui`.
struct DispatchRoutes<State: Codable & Equatable & Sendable>: RouteGroup {
    let links: Links
    let store: Store<State>
    let limits: JSONLimits
    let batchMax: Int
    /// The modules whose views may say something, and what.
    let views: [(module: String, actions: [ActionForm])]
    /// Whether the state is made of modules, whose actions have effects.
    let hasEffects: Bool

    private let dryRun = Parameter.flag("dry-run", "Show what would change instead.")
    /// Kept, because asking for a generic type is a search at run time.
    private let tickets = DispatchTicket<State>.self as DispatchTicket<State>.Type

    init(
        _ links: Links,
        _ store: Store<State>,
        _ limits: JSONLimits,
        batchMax: Int,
        views: [(module: String, actions: [ActionForm])],
        hasEffects: Bool
    ) {
        self.links = links
        self.store = store
        self.limits = limits
        self.batchMax = batchMax
        self.views = views
        self.hasEffects = hasEffects
    }

    var routes: [Route] {
        [
            route(
                links.dispatch,
                "dispatch",
                "Apply one action, or an array of them whole or not at all.",
                .reference("Dispatch"),
                from: .everybody,
                origins: .all
            )
        ]
            + views.map { view in
                route(
                    links.moduleUI(view.module),
                    "ui." + view.module,
                    "Apply what a view of the module \(view.module) says.",
                    .dispatch(of: view.actions, batchMax: batchMax),
                    from: .views(of: view.module),
                    origins: .all
                )
            }
    }

    private func route(
        _ path: String,
        _ id: String,
        _ summary: String,
        _ schema: JSONSchema,
        from audience: ActionAudience,
        origins: AllowedOrigins
    ) -> Route {
        let headers = ["ETag", "Preference-Applied", "Idempotency-Replayed"]
        return .change(
            .post,
            path,
            id,
            summary,
            parameters: [
                dryRun, CancelOnClose.parameter,
                HeaderParameter("Prefer", .string(), "return=representation, wait=N (RFC 7240)."),
                HeaderParameter.ifMatch, HeaderParameter.idempotencyKey,
            ],
            body: .json(schema),
            answers: [
                .json(
                    .anyOf([.applied, .dryRun]),
                    "Applied; or, for a dry run, what would be.",
                    headers: headers
                )
            ]
                + (hasEffects
                    ? [
                        .json(
                            .applied,
                            "Applied, but what follows takes longer than the client waits.",
                            status: 202,
                            headers: headers
                        )
                    ] : []),
            problems: [
                .refused, .versionMismatch, .unknownAction, .invalidPayload, .idempotencyMismatch,
                .storageFull, .forbidden,
            ] + (hasEffects ? [.effectFailed] : []),
            origins: origins
        ) { request throws(Problem) in
            try dispatch(request, from: audience)
        }
    }

    private func dispatch(
        _ request: RequestContext,
        from audience: ActionAudience
    ) throws(Problem) {
        let exchange = request.exchange
        let dryRun = exchange.hasQuery && request[dryRun]
        let cancelsOnClose = exchange.hasQuery && request[CancelOnClose.parameter] != nil
        let expected = try expectedVersion(exchange)
        let idempotency = try Self.idempotency(exchange)
        let sessions = try request.sessions()
        let preferences = request.preferences
        let body = try DispatchBody(
            request,
            actions: store.actions,
            for: audience,
            limits,
            batchMax
        )

        let ticket = tickets.init(
            request: request,
            store: store,
            preferences: preferences,
            isBatch: body.isBatch,
            session: sessions.first
        )
        let envelope = Envelope(
            members: body.members,
            requestID: request.id.text,
            expectedVersion: expected,
            idempotency: dryRun ? nil : idempotency,
            mode: dryRun ? .dryRun : .apply,
            endsBatch: preferences.returned == .representation,
            watch: ticket.watch,
            audience: body.audience,
            sessions: sessions,
            origin: request.origin(in: sessions),
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

extension HeaderParameter {
    fileprivate static let idempotencyKey = HeaderParameter(
        "Idempotency-Key",
        .text(pattern: #"^"([ !#-\[\]-~]|\\["\\]){1,255}"$"#),
        "A name for this request, in double quotes: however often it comes, it is applied once."
    )
}
