import StoreActionCatalog
import StoreAdmission
import StoreAuthorization
import StoreCore
import StoreDigest
import StoreHTTPTransport
import StoreTraces
import StoreWire

/// Makes an envelope from a request, and hands the envelope to the Core.
///
/// The type is a class, so that a request does not copy the handler's properties.
final class DispatchHandler: Sendable {
    let store: Store
    private let reader: DispatchBodyReader
    private let requestActionsMax: Int

    init(_ store: Store, senders: ActionSenders) {
        self.store = store
        reader = DispatchBodyReader(
            table: store.actions,
            senders: senders,
            limits: store.bounds.json,
            logger: store.logger
        )
        requestActionsMax = store.bounds.requestActionsMax
    }

    /// Dispatches the actions of a request. If `instance` is given, the actions belong to the view
    /// of this instance.
    func dispatch(_ request: RequestContext, to instance: String? = nil) throws(Problem) {
        let exchange = request.exchange
        let store = store
        let dryRun = exchange.hasQuery && request[DispatchParameters.dryRun]
        let link = exchange.hasQuery ? try Self.linkedActionText(of: request) : nil
        let cancelsOnClose = exchange.hasQuery && request[CancelOnClose.parameter] != nil
        let caller = try request.caller()
        let condition = try condition(of: request, for: caller)
        let reader = instance.map { self.reader.reader(forInstance: $0) } ?? reader
        let idempotency = try Self.idempotency(exchange, of: caller, reader, link)
        let preferences = request.preferences
        let span = exchange.isNoted ? exchange.spanIdentity.map { DispatchSpan($0.child()) } : nil
        let trace = span?.identity.traceparent ?? exchange.traceparent
        let body =
            if let link {
                try DispatchBody.read(link: link, by: reader, from: caller.identity, in: trace)
            } else {
                try DispatchBody.read(
                    request,
                    by: reader,
                    actionsMax: requestActionsMax,
                    from: caller.identity,
                    in: trace
                )
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
            hasActionArray: body.hasActionArray,
            caller: caller,
            seesModules: sight?.seesAllModules ?? true,
            addressedModules: waits ? sight?.hiddenAddressedModules ?? [] : [],
            watch: waits ? EffectWatch() : nil
        )
        let conditionTicket = condition?.subject.map { ConditionTicket(ticket, $0) }
        let envelope = Envelope(
            members: body.members,
            requestID: request.id.text,
            principal: caller.recordedPrincipal,
            condition: condition?.versionCondition,
            idempotency: dryRun ? nil : idempotency,
            mode: dryRun ? .dryRun : .apply,
            endsBatch: ticket.returnsState,
            watch: ticket.watch,
            audience: body.audience,
            session: caller.session,
            origin: request.logOrigin(in: caller.session),
            canSeeStateMember: sight?.reportsChanges,
            isLimitedToReadableSlices: !caller.isOperator,
            offerTime: exchange.turnStartNanoseconds,
            span: span,
            completion: conditionTicket ?? ticket
        )
        conditionTicket?.keep(envelope)
        ticket.park(cancelsOnClose: cancelsOnClose)
        ticket.offer(envelope)
    }

    /// The limits that the caller's role sets on the answer. They depend on the modules of the
    /// actions.
    private struct ActionSight {
        /// True if the caller sees the modules of all actions.
        var seesAllModules = true
        /// The names of the modules that the caller dispatches to but does not see.
        var hiddenAddressedModules: [String] = []
        /// Returns true if the answer reports changes of the member at this index. `nil` if the
        /// answer reports changes of all members.
        let reportsChanges: (@Sendable (_ member: Int) -> Bool)?
    }

    private func sight(of caller: Caller, for members: [EnvelopeMember]) -> ActionSight {
        let entries = store.actions.entries
        var sight = ActionSight(reportsChanges: caller.seesModuleAtIndex)
        for member in members {
            guard caller.identity?.role?.sees(moduleOfActionAt: member.typeIndex) != true else {
                continue
            }
            sight.seesAllModules = false
            guard entries.indices.contains(member.typeIndex),
                let module = entries[member.typeIndex].module,
                !sight.hiddenAddressedModules.contains(where: { $0.isSame(as: module) })
            else { continue }
            sight.hiddenAddressedModules.append(module)
        }
        guard !sight.hiddenAddressedModules.isEmpty, let sees = caller.seesModuleAtIndex else {
            return sight
        }
        let names = store.reader.moduleNames
        let own = sight.hiddenAddressedModules.compactMap { module in
            names.firstIndex { $0.isSame(as: module) }
        }
        return ActionSight(
            seesAllModules: false,
            hiddenAddressedModules: sight.hiddenAddressedModules,
            reportsChanges: { sees($0) || own.contains($0) }
        )
    }

    /// Returns the action in the query, as in the links of views; `nil` if the body has the action.
    ///
    /// A page of any site can make a browser send a POST without a body. So only pages of the
    /// server's own origin, or of an allowed origin, may follow links.
    ///
    /// - Throws: 403 for a page of another origin, 400 if the request also has a body. Without an
    ///   action in the query, 415 if the body's type is not JSON.
    private static func linkedActionText(of request: RequestContext) throws(Problem) -> String? {
        guard let link = request[DispatchParameters.action] else {
            guard request.exchange.isJSON else { throw .unsupportedMediaType() }
            return nil
        }
        try request.environment.web.origins.check(request.exchange)
        guard request.hasNoBody else {
            throw .badRequest(
                "The request has an action in the query parameter \"action\" and also a body. "
                    + "Leave one of them out."
            )
        }
        return link
    }
}

// Conditions

extension DispatchHandler {
    /// The condition of a request. The type is a class, so that a request without a condition
    /// stores only an empty reference.
    final class Condition {
        let versionCondition: VersionCondition
        /// The resource that the condition names; `nil` for the whole state.
        let subject: ConditionSubject?

        init(_ version: VersionCondition, of subject: ConditionSubject? = nil) {
            self.versionCondition = version
            self.subject = subject
        }
    }

    /// Makes the condition of `If-Match`. Returns `nil` if every version satisfies the header
    /// (protocol 2.7).
    ///
    /// - Throws: 400 for a malformed header or an unsuitable resource.
    func condition(of request: RequestContext, for caller: Caller) throws(Problem) -> Condition? {
        let exchange = request.exchange
        let resource = exchange.hasQuery ? request[DispatchParameters.ifMatchOf] : nil
        guard let header = exchange.headerList("if-match") else {
            guard resource == nil else {
                throw .badQuery("if-match-of", allowed: "it only together with an If-Match header")
            }
            return nil
        }
        guard let condition = EntityTagCondition(header) else {
            throw .badHeader(
                "If-Match",
                allowed: "* or quoted tags such as \(store.reader.tag.etag)"
            )
        }
        if let resource { return try resourceCondition(resource, condition, request, caller) }
        guard case .list(let tags) = condition else { return nil }
        return Condition(versionCondition(of: tags, for: caller))
    }

    /// Makes the condition for a list of tags. The condition has a single version, which the Core
    /// compares when it applies the action.
    ///
    /// Of the published versions in the list, only the newest is compared: if any published version
    /// matches, the newest matches. The condition uses this newest version if the caller's part of
    /// the state has not changed since. Otherwise the condition uses the lowest version in the list
    /// that is not published yet, because only that version can match next. Without an unpublished
    /// version in the list, the condition may already have failed. The Core must check even a
    /// failed condition, because only the Core can look up an earlier application of the request.
    /// If the request was applied before, the condition does not count.
    ///
    /// A view may show the caller data from modules that the caller can't see otherwise. A change
    /// of a hidden module does not count as a change for the caller. So a match would not prove
    /// that the data of the view is current. For a caller with access to a view of hidden modules,
    /// the condition is exact: every newer version fails the condition. A client avoids an exact
    /// condition if its condition names the view.
    private func versionCondition(of tags: [EntityTag], for caller: Caller) -> VersionCondition {
        let isExact = store.reader.hasViewOfHiddenModules(for: caller)
        let epoch = store.reader.epoch
        let state = store.reader.state(for: caller)
        let current = state.version
        let mayHold = state.isPartial && !isExact
        let oldest = mayHold ? state.lastChangeVersion : current
        let versions = tags.compactMap { Tag($0) }.filter { $0.epoch == epoch }.map(\.version)
        let published = versions.filter { $0 <= current }.max()
        let scope =
            isExact ? VersionCondition.Scope.everyChange : .visible(caller.seesModuleAtIndex)
        if let published, published >= oldest { return VersionCondition(published, scope) }
        let next = versions.filter { $0 > current }.min()
        return VersionCondition(next ?? (mayHold ? published : nil) ?? .max, scope)
    }

    /// Makes the condition that the named resource has not changed since the version of the tag.
    private func resourceCondition(
        _ resource: String,
        _ condition: EntityTagCondition,
        _ request: RequestContext,
        _ caller: Caller
    ) throws(Problem) -> Condition {
        guard case .list(let tags) = condition, tags.count == 1, !tags[0].isWeak else {
            throw .badHeader(
                "If-Match",
                allowed: "one tag with if-match-of: the tag of the resource that if-match-of names"
            )
        }
        let tag = Tag(tags[0]).flatMap { $0.epoch == store.reader.epoch ? $0 : nil }
        let subject = try ConditionSubject(resource, tagVersion: tag?.version, store, for: caller)
        return Condition(subject.firstCondition(in: request.exchange.workspace), of: subject)
    }
}

// Idempotency keys

extension DispatchHandler {
    /// Returns the idempotency key and the fingerprint of a request that the client may send again
    /// (protocol 2.8). Returns `nil` without the header `Idempotency-Key`.
    static func idempotency(
        _ exchange: HTTPExchange,
        of caller: Caller,
        _ reader: DispatchBodyReader,
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
        let audience = reader.senders
        return Idempotency(
            key: IdempotencyKey(principal: caller.idempotencyKeyOwner, key: key),
            fingerprint: link.map {
                var link = $0
                return link.withUTF8 { fingerprint(of: UnsafeRawBufferPointer($0), for: audience) }
            } ?? exchange.withBody { fingerprint(of: $0, for: audience) }
        )
    }

    /// Returns the digest of the body. For an action of a view, the digest includes the names of
    /// the module and the instance. Two views may send the same bytes for different actions,
    /// because the body may leave these names out.
    private static func fingerprint(
        of body: UnsafeRawBufferPointer,
        for audience: ActionSenders
    ) -> [UInt8] {
        guard case .views(let module, let instance) = audience else { return SHA256.digest(body) }
        // A byte of 255 ends the names of a module and an instance. A byte of 0 ends the name of a
        // module without an instance. No name of a module contains these bytes, and no id has the
        // byte 255.
        let view = instance.map { Array(module.utf8) + [255] + Array($0.utf8) + [255] }
        return ((view ?? Array(module.utf8) + [0]) + body).withUnsafeBytes { SHA256.digest($0) }
    }

    private static let keyCharactersMax = 255
}
