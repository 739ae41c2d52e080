import StorePlatform
package import Synchronization

/// What has happened in an HTTP transport since its start, as `/metrics` reports it.
///
/// The thread of the event loop counts; any thread may read. Each number is of one kind of event,
/// and one connection may count in several: a request whose body does not arrive in time counts in
/// ``accepted``, ``requests`` and ``timeouts``.
package final class TransportCounters: Sendable {
    /// Connections accepted.
    package let accepted = Atomic<UInt64>(0)
    /// Connections that are open now.
    package let open = Atomic<UInt64>(0)
    /// Connections that the transport answered with 503 and closed, because there were too many.
    package let refused = Atomic<UInt64>(0)
    /// Requests whose headers were read.
    package let requests = Atomic<UInt64>(0)
    /// Requests refused for their framing (RFC 9112) or their size, before any route was asked.
    package let framingRefused = Atomic<UInt64>(0)
    /// Those of them that were over a bound, by the places of ``bounds``.
    private let overBound = Cells(count: TransportCounters.bounds.count)
    /// Connections closed because a deadline passed: that of the headers, of the body, or of the
    /// next request on a connection that is kept open.
    package let timeouts = Atomic<UInt64>(0)
    /// What bodies and answers take that are under way, in bytes.
    package let buffersBytes = Atomic<UInt64>(0)
    /// Connections closed because their clients did not read answers that took others' memory.
    package let unreadEnded = Atomic<UInt64>(0)
    /// How long requests took that were answered before a route was found for them.
    package let unrouted = RouteTimes()

    /// The bounds of requests, by the names that metrics have for them.
    private static let bounds = ["headers", "fields", "uri", "body", "bodies"]

    /// How many bytes bodies and answers may take that are under way.
    package let buffersBytesMax: Int

    package init(buffersBytesMax: Int = 0) {
        self.buffersBytesMax = buffersBytesMax
    }

    /// How many requests were over each bound.
    package var bounds: [(name: String, hits: UInt64)] {
        Self.bounds.indices.map { (Self.bounds[$0], overBound[$0]) }
    }

    /// Counts a request that is refused before its route is asked.
    func refused(_ failure: TransportFailure) {
        let place: Int
        switch failure {
        case .bodiesLimit, .bodiesShare: return overBound.first[4].count()
        case .headersTooLarge: place = 0
        case .tooManyFields: place = 1
        case .uriTooLong: place = 2
        case .bodyTooLarge: place = 3
        case .malformed, .versionNotSupported, .timeout, .connectionLimit, .addressLimit, .stopping:
            return framingRefused.count()
        }
        framingRefused.count()
        overBound.first[place].count()
    }
}
