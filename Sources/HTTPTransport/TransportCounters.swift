package import Synchronization

/// What has happened in an HTTP transport since its start, as `/metrics` reports it.
///
/// The thread of the event loop counts; any thread may read. Each number is of one kind of event,
/// and one connection may count in several: a request whose body does not arrive in time counts in
/// ``accepted``, ``requests`` and ``timeouts``.
package final class TransportCounters: Sendable {
    /// Connections accepted.
    package let accepted = Atomic<UInt64>(0)
    /// Connections that the transport answered with 503 and closed, because there were too many.
    package let refused = Atomic<UInt64>(0)
    /// Requests whose headers were read.
    package let requests = Atomic<UInt64>(0)
    /// Requests refused for their framing (RFC 9112) or their size, before any route was asked.
    package let framingRefused = Atomic<UInt64>(0)
    /// Connections closed because a deadline passed: that of the headers, of the body, or of the
    /// next request on a connection that is kept open.
    package let timeouts = Atomic<UInt64>(0)

    package init() {}
}
