import StoreActionCatalog
import StoreAuthorization
import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StoreTexts
import StoreTraces
import StoreWire

/// Makes an envelope from a request and hands it to the Core.
///
/// A class, so that a request does not copy its properties.
final class DispatchHandler: Sendable {
    let store: Store
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

    /// Dispatches the actions of a request; with an instance, actions of its view.
    func dispatch(_ request: RequestContext, to instance: String? = nil) throws(Problem) {
        let exchange = request.exchange
        let store = store
        let dryRun = exchange.hasQuery && request[DispatchParameters.dryRun]
        let link = exchange.hasQuery ? try Self.link(of: request) : nil
        let cancelsOnClose = exchange.hasQuery && request[CancelOnClose.parameter] != nil
        let caller = try request.caller()
        let condition = try condition(of: request, for: caller)
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
        let sight = caller.viewer.sight == nil ? nil : sight(of: caller, for: body.members)
        let waits = preferences.waitSeconds != nil
        let ticket = DispatchTicket(
            request: request,
            store: store,
            preferences: preferences,
            isBatch: body.isBatch,
            caller: caller,
            seesModules: sight?.seesAll ?? true,
            askedModules: waits ? sight?.askedModules ?? [] : [],
            watch: waits ? EffectWatch() : nil
        )
        let named = condition?.subject.map { ConditionTicket(ticket, $0) }
        let envelope = Envelope(
            members: body.members,
            requestID: request.id.text,
            principal: caller.stamp,
            condition: condition?.version,
            idempotency: dryRun ? nil : idempotency,
            mode: dryRun ? .dryRun : .apply,
            endsBatch: preferences.returned == .representation,
            watch: ticket.watch,
            audience: body.audience,
            session: caller.session,
            origin: request.origin(in: caller.session),
            sees: sight?.answersAbout,
            offered: exchange.turnBegan,
            span: span,
            completion: named ?? ticket
        )
        named?.keep(envelope)
        hold(exchange, for: ticket, cancelsOnClose: cancelsOnClose)
        do {
            try store.core.offer(envelope, wakes: false)
            store.offered()
        } catch {
            ticket.answer(
                error.problem(waiting: "\(store.bounds.mailboxMax) actions wait already")
            )
            store.wake()
        }
    }

    /// Keeps a request until its answer.
    ///
    /// The transport detects that a client has left only while the request is suspended. A parked
    /// request is soon suspended if its answer takes long.
    @inline(__always)
    private func hold(
        _ exchange: HTTPExchange,
        for ticket: DispatchTicket,
        cancelsOnClose: Bool
    ) {
        guard cancelsOnClose else { return exchange.park() }
        if ticket.watch != nil { exchange.suspend() } else { exchange.park() }
        CancelOnClose.arrange(for: exchange, ticket.watch, store.core.effects)
    }

    /// The effect of a narrow role on the answer to a request's actions.
    private struct ActionSight {
        /// True if the caller sees the modules of all actions.
        var seesAll = true
        /// The names of the modules that the caller dispatches to but does not see.
        var askedModules: [String] = []
        /// True if the answer reports changes of the member at this index; `nil` if it reports all
        /// changes.
        let answersAbout: (@Sendable (_ member: Int) -> Bool)?
    }

    /// Finds the modules that the caller dispatches to but does not see.
    private func sight(of caller: Caller, for members: [EnvelopeMember]) -> ActionSight {
        let entries = store.actions.entries
        var sight = ActionSight(answersAbout: caller.moduleSight)
        for member in members {
            guard caller.identity?.role?.sees(moduleOfAction: member.number) != true else {
                continue
            }
            sight.seesAll = false
            guard entries.indices.contains(member.number),
                let module = entries[member.number].module,
                !sight.askedModules.contains(where: { $0.isSame(as: module) })
            else { continue }
            sight.askedModules.append(module)
        }
        guard !sight.askedModules.isEmpty, let sees = caller.moduleSight else { return sight }
        let names = store.reader.moduleNames
        let own = sight.askedModules.compactMap { module in
            names.firstIndex { $0.isSame(as: module) }
        }
        return ActionSight(
            seesAll: false,
            askedModules: sight.askedModules,
            answersAbout: { sees($0) || own.contains($0) }
        )
    }

    /// Returns the action in the query, as the links of views have it; `nil` if the body has it.
    ///
    /// A page of any site can make a browser send a POST without a body. So links may be followed
    /// only by pages of the server's own origin or an allowed one.
    ///
    /// - Throws: 403 for a page of another origin, 400 if the request also has a body. Without an
    ///   action in the query, 415 if the body's type is not JSON.
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
}
