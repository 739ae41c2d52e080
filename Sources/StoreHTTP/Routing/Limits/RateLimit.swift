import StoreHTTPTransport

/// What is counted of a client's doing.
package enum RateLimitKind: Int, Sendable, CaseIterable {
    /// Requests, but for those about the server's own health.
    case requests
    /// Actions in the bodies of requests, and calls of use cases and notifications.
    case actions
    /// Sessions begun.
    case sessions
    /// Streams opened.
    case streams

    /// Its name in header fields.
    package var name: String {
        switch self {
        case .requests: "requests"
        case .actions: "actions"
        case .sessions: "sessions"
        case .streams: "streams"
        }
    }
}

/// So many in so many seconds. They may come all at once; then what was taken comes back evenly.
package struct RateLimit: Sendable, Equatable {
    /// The most at once, 1 to 1,000,000.
    package let count: Int
    /// In how many seconds all of them come back, 1 to 86,400.
    package let seconds: Int

    package init(count: Int, seconds: Int) {
        self.count = count
        self.seconds = seconds
    }

    /// In how many nanoseconds one comes back.
    var interval: Int64 { Int64(seconds) * 1_000_000_000 / Int64(count) }

    /// In how many nanoseconds all come back.
    var window: Int64 { interval * Int64(count) }
}

/// What a client has left, after it has taken something or was refused.
struct RateShare: Equatable {
    /// For how many more the share is enough.
    let remaining: Int
    /// In how many nanoseconds the share is whole again.
    let untilWhole: Int64
    /// In how many nanoseconds what was refused may be taken; `nil` where it was taken.
    var retryAfter: Int64?
}
