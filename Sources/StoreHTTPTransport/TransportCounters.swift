import StorePlatform
package import Synchronization

/// The counters of an HTTP transport since its start, as `/metrics` reports them.
///
/// Only the event loop's thread counts, and any thread may read the counters. Each counter is for
/// one kind of event, and a connection may count in several counters. A request whose body does not
/// arrive in time counts in ``acceptedConnections``, ``requests`` and ``timeouts``.
package final class TransportCounters: Sendable {
    package let acceptedConnections = Atomic<UInt64>(0)
    package let openConnections = Atomic<UInt64>(0)
    /// Connections that the transport answered with 503 and closed, because there were too many.
    package let refusedConnections = Atomic<UInt64>(0)
    /// Requests whose headers were read.
    package let requests = Atomic<UInt64>(0)
    /// Requests that were refused for their framing (RFC 9112) or size. Most of these requests had
    /// no route yet.
    package let framingRefusedRequests = Atomic<UInt64>(0)
    /// Requests that were over a bound, by the index of ``boundNames``. These requests are also in
    /// ``framingRefusedRequests``, except for requests over the bound on memory for bodies.
    private let requestsOverBound = CounterArray(count: TransportCounters.boundNames.count)
    /// Connections closed at a deadline: for the headers, for the body, or for the next request on
    /// a connection that is kept open.
    package let timeouts = Atomic<UInt64>(0)
    /// The bytes of bodies and answers that are under way.
    package let buffersBytes = Atomic<UInt64>(0)
    /// Connections closed to free the memory of answers that their clients did not read.
    package let unreadAnswerConnectionsClosed = Atomic<UInt64>(0)
    /// The durations of requests that were answered before a route was found for them.
    package let unroutedTimes = RouteTimes()

    /// The names of the bounds in metrics.
    private static let boundNames = ["headers", "fields", "uri", "body", "bodies"]

    package let buffersBytesMax: Int

    package init(buffersBytesMax: Int = 0) { self.buffersBytesMax = buffersBytesMax }

    /// The number of requests over each bound.
    package var boundHits: [(name: String, hits: UInt64)] {
        Self.boundNames.indices.map { (Self.boundNames[$0], requestsOverBound[$0]) }
    }

    /// Counts a request that the transport refuses.
    func countRefusal(_ failure: TransportFailure) {
        let boundIndex: Int
        switch failure {
        case .bodiesLimit, .bodiesLimitPerClient: return requestsOverBound.counters[4].increment()
        case .headersTooLarge: boundIndex = 0
        case .tooManyFields: boundIndex = 1
        case .uriTooLong: boundIndex = 2
        case .bodyTooLarge: boundIndex = 3
        case .malformed, .versionNotSupported, .timeout, .connectionLimit,
            .connectionLimitPerAddress, .stopping:
            return framingRefusedRequests.increment()
        }
        framingRefusedRequests.increment()
        requestsOverBound.counters[boundIndex].increment()
    }
}
