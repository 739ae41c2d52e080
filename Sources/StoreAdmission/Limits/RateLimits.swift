package import StoreCore
package import StoreHTTPTransport
import StorePlatform
package import StoreWire
import Synchronization

/// The limits on each client's requests, actions, sessions and streams. A request above a limit is
/// answered with 429. The header fields of each answer have the remaining share
/// (draft-ietf-httpapi-ratelimit-headers).
///
/// Only the event loop's thread may use the limits.
package final class RateLimits: Sendable {
    /// The number of refused requests, by kind.
    package let refusalCounts = RateRefusalCounts()

    private struct KindLimit: Sendable {
        let kind: RateLimitKind
        let limit: RateLimit
        let addressFields: RateFields
        let principalFields: RateFields

        init(_ kind: RateLimitKind, _ limit: RateLimit) {
            self.kind = kind
            self.limit = limit
            addressFields = RateFields(kind.name, limit)
            principalFields = RateFields("principal-" + kind.name, limit)
        }
    }

    /// The limits in the order of the kinds; `nil` for a kind without a bound.
    private let limitsByKind: [KindLimit?]
    private let clock: any WallClock
    // Safety: only the event loop's thread accesses the table.
    @exclusivity(unchecked) private nonisolated(unsafe) var table = RateTable()

    /// Makes the limits. A kind of event that is not in `limits` has no bound. Returns `nil` if
    /// `limits` is empty.
    package init?(_ limits: [RateLimitKind: RateLimit], clock: any WallClock = SteadyClock()) {
        if limits.isEmpty { return nil }
        self.limitsByKind = RateLimitKind.allCases.map { kind in
            limits[kind].map { KindLimit(kind, $0) }
        }
        self.clock = clock
    }

    /// Counts events for a request's address, and for its principal if the principal is known.
    ///
    /// - Throws: 429 if one of the two shares is too small. In this case, neither share changes.
    package func take(
        _ kind: RateLimitKind,
        _ count: Int = 1,
        of request: HTTPExchange
    ) throws(Problem) {
        guard let kindLimit = limitsByKind[kind.rawValue] else { return }
        let now = clock.now()
        let principal = request.identity?.rateKey
        if let principal {
            let share = table.peek(count, of: kind, kindLimit.limit, by: principal, at: now)
            if share.retryAfterNanoseconds != nil {
                try addFields(kindLimit, kindLimit.principalFields, share, request)
            }
        }
        let ofAddress = RateKey(request.client)
        let share = table.take(count, of: kind, kindLimit.limit, by: ofAddress, at: now)
        try addFields(kindLimit, kindLimit.addressFields, share, request)
        if let principal {
            let share = table.take(count, of: kind, kindLimit.limit, by: principal, at: now)
            try addFields(kindLimit, kindLimit.principalFields, share, request)
        }
    }

    /// Counts one event for a principal, and none for an address.
    ///
    /// - Throws: 429 if the principal's share is empty.
    func take(
        _ kind: RateLimitKind,
        by principal: RateKey,
        of request: HTTPExchange
    ) throws(Problem) {
        guard let limited = limitsByKind[kind.rawValue] else { return }
        let share = table.take(1, of: kind, limited.limit, by: principal, at: clock.now())
        try addFields(limited, limited.principalFields, share, request)
    }

    /// Adds the fields about the share to the answer.
    ///
    /// - Throws: 429 if the share was too small.
    private func addFields(
        _ limited: KindLimit,
        _ fields: RateFields,
        _ share: RateShare,
        _ request: HTTPExchange
    ) throws(Problem) {
        request.addAnswerFields { fields.add(share, to: &$0) }
        guard let wait = share.retryAfterNanoseconds else { return }
        refusalCounts.add(limited.kind)
        throw .tooManyRequests(
            "\(limited.kind.name) came from your address or principal than are allowed: "
                + "\(limited.limit.eventsMax) in \(limited.limit.windowSeconds) s",
            retryAfterSeconds: RateShare.secondsRoundedUp(fromNanoseconds: wait)
        )
    }
}

/// The number of requests that each limit has refused. Any thread may use the counters.
package final class RateRefusalCounts: Sendable {
    private let cells = CounterArray(count: RateLimitKind.allCases.count)

    package subscript(kind: RateLimitKind) -> UInt64 { cells[kind.rawValue] }

    fileprivate func add(_ kind: RateLimitKind) {
        cells.counters[kind.rawValue].add(1, ordering: .relaxed)
    }
}
