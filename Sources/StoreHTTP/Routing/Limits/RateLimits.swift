package import StoreCore
import StoreHTTPTransport
import StoreWire
import Synchronization

/// How much each client may ask for in a time. Requests above it are 429, and each answer says
/// what is left (draft-ietf-httpapi-ratelimit-headers).
///
/// Used on the event loop's thread alone.
package final class RateLimits: Sendable {
    /// How many were refused, by kind.
    package let refused = RefusedCounts()

    private struct Limited: Sendable {
        let limit: RateLimit
        let ofAddress: RateFields
        let ofPrincipal: RateFields

        init(_ kind: RateLimitKind, _ limit: RateLimit) {
            self.limit = limit
            ofAddress = RateFields(kind.name, limit)
            ofPrincipal = RateFields("principal-" + kind.name, limit)
        }
    }

    /// By kind; `nil` for what has no bound.
    private let limits: [Limited?]
    private let clock: any WallClock
    // Safety: only the event loop's thread, which hands requests over, touches it.
    @exclusivity(unchecked) private nonisolated(unsafe) var table = RateTable()

    /// Bounds these and nothing else; `nil` where there are none.
    package init?(
        _ limits: [RateLimitKind: RateLimit],
        clock: any WallClock = SteadyClock()
    ) {
        if limits.isEmpty { return nil }
        self.limits = RateLimitKind.allCases.map { kind in
            limits[kind].map { Limited(kind, $0) }
        }
        self.clock = clock
    }

    /// Takes so many of the share of a request's address, and of that of its principal where it is
    /// known.
    ///
    /// - Throws: 429 where there are not so many left of one of them; then none is taken.
    func take(
        _ kind: RateLimitKind,
        _ count: Int = 1,
        of request: HTTPExchange
    ) throws(Problem) {
        guard let limited = limits[kind.rawValue] else { return }
        let now = clock.now()
        let principal = request.identity?.rateKey
        if let principal {
            let share = table.look(count, of: kind, limited.limit, by: principal, at: now)
            if share.retryAfter != nil {
                try answer(kind, limited, limited.ofPrincipal, share, request)
            }
        }
        let share = table.take(count, of: kind, limited.limit, by: RateKey(request.client), at: now)
        try answer(kind, limited, limited.ofAddress, share, request)
        guard let principal else { return }
        try answer(
            kind,
            limited,
            limited.ofPrincipal,
            table.take(count, of: kind, limited.limit, by: principal, at: now),
            request
        )
    }

    /// Takes one of a principal's share alone.
    ///
    /// - Throws: 429 where there is none left.
    func take(
        _ kind: RateLimitKind,
        by principal: RateKey,
        of request: HTTPExchange
    ) throws(Problem) {
        guard let limited = limits[kind.rawValue] else { return }
        let share = table.take(1, of: kind, limited.limit, by: principal, at: clock.now())
        try answer(kind, limited, limited.ofPrincipal, share, request)
    }

    /// Adds to the answer what is left.
    ///
    /// - Throws: 429 where that was not enough.
    private func answer(
        _ kind: RateLimitKind,
        _ limited: Limited,
        _ fields: RateFields,
        _ share: RateShare,
        _ request: HTTPExchange
    ) throws(Problem) {
        request.addFields { fields.add(share, to: &$0) }
        guard let wait = share.retryAfter else { return }
        refused.add(kind)
        throw .tooManyRequests(
            "\(kind.name) came from you than the \(limited.limit.count) in "
                + "\(limited.limit.seconds) s that are allowed",
            retryAfterSeconds: RateShare.seconds(wait)
        )
    }
}

/// How many requests were refused because of each limit. Any thread.
package final class RefusedCounts: Sendable {
    private let requests = Atomic<UInt64>(0)
    private let actions = Atomic<UInt64>(0)
    private let sessions = Atomic<UInt64>(0)
    private let streams = Atomic<UInt64>(0)

    package subscript(kind: RateLimitKind) -> UInt64 {
        switch kind {
        case .requests: requests.load(ordering: .relaxed)
        case .actions: actions.load(ordering: .relaxed)
        case .sessions: sessions.load(ordering: .relaxed)
        case .streams: streams.load(ordering: .relaxed)
        }
    }

    fileprivate func add(_ kind: RateLimitKind) {
        switch kind {
        case .requests: requests.add(1, ordering: .relaxed)
        case .actions: actions.add(1, ordering: .relaxed)
        case .sessions: sessions.add(1, ordering: .relaxed)
        case .streams: streams.add(1, ordering: .relaxed)
        }
    }
}
