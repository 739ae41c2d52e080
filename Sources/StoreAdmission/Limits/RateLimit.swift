import StoreHTTPTransport

/// The kinds of events that are counted for a client.
package enum RateLimitKind: Int, Sendable, CaseIterable {
    /// Requests, except requests about the server's health and metrics.
    case requests
    /// Actions in the bodies of requests, and calls of use cases and notifications.
    case actions
    /// Sessions that a client begins.
    case sessions
    /// Streams that a client opens.
    case streams

    /// The name of the kind in header fields.
    package var name: String { "\(self)" }
}

/// A bound: at most `eventsMax` events in `windowSeconds`. These events may come at once; the share
/// then refills evenly.
package struct RateLimit: Sendable, Equatable {
    /// The maximum number of events at once, 1 to 1,000,000.
    package let eventsMax: Int
    /// The seconds until an empty share is whole again, 1 to 86,400.
    package let windowSeconds: Int

    package init(count: Int, seconds: Int) {
        self.eventsMax = count
        self.windowSeconds = seconds
    }

    /// The nanoseconds until one event is allowed again.
    var nanosecondsPerEvent: Int64 { Int64(windowSeconds) * 1_000_000_000 / Int64(eventsMax) }

    /// The nanoseconds until an empty share is whole again.
    var windowNanoseconds: Int64 { nanosecondsPerEvent * Int64(eventsMax) }
}

/// The remaining share of a client, after events were counted or refused.
struct RateShare: Equatable {
    /// The number of further events that the share allows.
    let remaining: Int
    /// The nanoseconds until the share is whole again.
    let nanosecondsUntilWhole: Int64
    /// The nanoseconds until the refused events are allowed; `nil` if the events were allowed.
    var retryAfterNanoseconds: Int64?
}

/// The header fields about one share (draft-ietf-httpapi-ratelimit-headers).
struct RateFields: Sendable {
    /// The `RateLimit-Policy` field, which is the same in all answers: `"requests";q=100;w=60`.
    private let policyField: HTTPFields
    private let name: String

    init(_ name: String, _ limit: RateLimit) {
        self.name = name
        let text = "\"\(name)\";q=\(limit.eventsMax);w=\(limit.windowSeconds)"
        policyField = HTTPFields([("RateLimit-Policy", text)])
    }

    /// Adds `RateLimit-Policy` and `RateLimit`, without an allocated `String` for the digits.
    func add(_ share: RateShare, to fields: inout HTTPFields) {
        fields.append(policyField)
        fields.append("RateLimit") { share.write(to: &$0, named: name) }
    }
}

extension RateShare {
    /// Converts nanoseconds to whole seconds, rounded up.
    static func secondsRoundedUp(fromNanoseconds nanoseconds: Int64) -> Int {
        Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }

    /// Writes `"requests";r=50;t=30`: the number of events that the share still allows, and the
    /// seconds until the share is whole again.
    fileprivate func write(to bytes: inout [UInt8], named name: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: "\";r=".utf8)
        Self.write(remaining, to: &bytes)
        bytes.append(contentsOf: ";t=".utf8)
        Self.write(Self.secondsRoundedUp(fromNanoseconds: nanosecondsUntilWhole), to: &bytes)
    }

    /// Writes a number in decimal digits, without an allocated `String`.
    private static func write(_ number: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
