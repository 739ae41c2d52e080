import StoreCore
import StoreHTTPTransport
import StoreWire

extension DispatchHandler {
    /// The condition of a request, with the resource that it names, if it names one.
    typealias Condition = (version: VersionCondition, subject: ConditionSubject?)

    /// Makes the condition of `If-Match`; `nil` if every version satisfies it (protocol 2.7).
    ///
    /// - Throws: 400 for a malformed header or an unsuitable resource.
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

    /// Makes the condition for a list of tags: a single version, which the Core compares when it
    /// applies the action.
    ///
    /// Of the published versions in the list, the newest is enough: it matches if any of them does.
    /// The condition uses it if the caller's part of the state has not changed since. Otherwise the
    /// lowest future version is used: only that can match next. Without a future version, the
    /// condition may already have failed. The Core must check it nevertheless, because only the
    /// Core can look up if the request was applied before. In that case the condition does not
    /// count.
    ///
    /// A view may show the caller data from modules that it can't see otherwise. A change of such a
    /// module does not count as a change for the caller. So a match would not prove that the shown
    /// data is current. The condition is exact then: every newer version fails it. A client that
    /// names the view avoids this.
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

    /// Makes the condition that a resource has not changed since the version of the tag.
    private func named(
        _ resource: String,
        _ condition: EntityTagCondition,
        _ request: RequestContext,
        _ caller: Caller
    ) throws(Problem) -> Condition {
        guard case .list(let tags) = condition, tags.count == 1, !tags[0].isWeak else {
            throw .badHeader(
                "If-Match",
                allowed: "one tag beside if-match-of: the tag of the resource that it names"
            )
        }
        let tag = Tag(tags[0]).flatMap { $0.epoch == store.reader.epoch ? $0 : nil }
        let subject = try ConditionSubject(resource, known: tag?.version, store, for: caller)
        return (subject.first(in: request.exchange.workspace), subject)
    }
}
