import StoreHTTPTransport

/// The kinds of events that are counted for a client.
package enum RateLimitKind: Int, Sendable, CaseIterable {
    /// Requests, without the requests about the server's own health.
    case requests
    /// Actions in the bodies of requests, and calls of use cases and notifications.
    case actions
    /// Sessions that a client begins.
    case sessions
    /// Streams that a client opens.
    case streams

    /// The name of the kind in header fields.
    package var name: String {
        switch self {
        case .requests: "requests"
        case .actions: "actions"
        case .sessions: "sessions"
        case .streams: "streams"
        }
    }
}

/// A bound: at most `count` events in `seconds`. All of them may come at once; afterwards the share
/// refills evenly.
package struct RateLimit: Sendable, Equatable {
    /// The most events at once, 1 to 1,000,000.
    package let count: Int
    /// The seconds until an empty share is whole again, 1 to 86,400.
    package let seconds: Int

    package init(count: Int, seconds: Int) {
        self.count = count
        self.seconds = seconds
    }

    /// The nanoseconds until one event is allowed again.
    var interval: Int64 { Int64(seconds) * 1_000_000_000 / Int64(count) }

    /// The nanoseconds until an empty share is whole again.
    var window: Int64 { interval * Int64(count) }
}

/// The rest of a client's share, after events were counted or refused.
struct RateShare: Equatable {
    /// The number of further events that the share allows.
    let remaining: Int
    /// The nanoseconds until the share is whole again.
    let untilWhole: Int64
    /// The nanoseconds until the refused events are allowed; `nil` if they were allowed.
    var retryAfter: Int64?
}
