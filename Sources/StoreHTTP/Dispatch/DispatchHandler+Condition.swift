import StoreCore
import StoreHTTPTransport
import StoreWire

extension DispatchHandler {
    /// The condition of a request, and the resource that it names, if it names one.
    typealias Condition = (version: VersionCondition, subject: ConditionSubject?)

    /// The condition that `If-Match` makes; `nil` if any version will do (protocol 2.7).
    ///
    /// - Throws: 400 for a header, or a resource, that can't be used.
    func condition(of request: RequestContext, for caller: Caller) throws(Problem) -> Condition? {
        let exchange = request.exchange
        let resource = exchange.hasQuery ? request[DispatchParameters.ifMatchOf] : nil
        guard let header = exchange.headerList("if-match") else {
            guard resource == nil else {
                throw .badQuery("if-match-of", allowed: "it beside an If-Match header")
            }
            return nil
        }
        guard let condition = EntityTagCondition(header) else {
            throw .badHeader(
                "If-Match",
                allowed: "* or quoted tags such as \(store.reader.tag.etag)"
            )
        }
        if let resource { return try named(resource, condition, request, caller) }
        guard case .list(let tags) = condition else { return nil }
        return (version(of: tags, for: caller), nil)
    }

    /// The version that one of these tags names.
    ///
    /// Of those that were published, the newest is the one that holds longest; the Core knows
    /// whether it still does, if versions may change nothing that the caller sees. It can't hold if
    /// all see the same and another version is there, and if a batch has changed what the caller
    /// sees it may not: then the lowest of those to come goes before it, the only one that the Core
    /// can meet next. If there is none, the Core is asked for one that it never meets: only the
    /// Core can look up whether the request was applied before, and then the condition does not
    /// count.
    ///
    /// Views may show a caller something of what it does not see otherwise. It may not find out
    /// when that changes, and what it has been shown may be old: the condition is exact then. A
    /// caller names the view to be free of that.
    private func version(of tags: [EntityTag], for caller: Caller) -> VersionCondition {
        let isExact = store.reader.showsUnseen(to: caller)
        let epoch = store.reader.epoch
        let state = store.reader.state(for: caller)
        let current = state.version
        let mayHold = state.isPartial && !isExact
        let oldest = mayHold ? state.changedVersion : current
        let versions = tags.compactMap { Tag($0) }.filter { $0.epoch == epoch }.map(\.version)
        let published = versions.filter { $0 <= current }.max()
        let scope = isExact ? VersionCondition.Scope.version : .visible(caller.moduleSight)
        if let published, published >= oldest { return VersionCondition(published, scope) }
        let next = versions.filter { $0 > current }.min()
        return VersionCondition(next ?? (mayHold ? published : nil) ?? .max, scope)
    }

    /// The condition that a resource has not changed since it had this tag.
    private func named(
        _ resource: String,
        _ condition: EntityTagCondition,
        _ request: RequestContext,
        _ caller: Caller
    ) throws(Problem) -> Condition {
        guard case .list(let tags) = condition, tags.count == 1, !tags[0].isWeak else {
            throw .badHeader(
                "If-Match",
                allowed: "one tag beside if-match-of, that of the resource which it names"
            )
        }
        let tag = Tag(tags[0]).flatMap { $0.epoch == store.reader.epoch ? $0 : nil }
        let subject = try ConditionSubject(resource, known: tag?.version, store, for: caller)
        return (subject.first(in: request.exchange.workspace), subject)
    }
}
