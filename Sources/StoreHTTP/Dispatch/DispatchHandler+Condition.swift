import StoreCore
import StoreHTTPTransport
import StoreWire

extension DispatchHandler {
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
    func expectedVersion(
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
}
