package import Synchronization

/// What happens in a transport, counted since its start. Any thread may read.
package final class TransportCounters: Sendable {
    /// Connections accepted.
    package let accepted = Atomic<UInt64>(0)
    /// Connections and requests that the transport itself refused.
    package let refused = Atomic<UInt64>(0)
    /// Requests whose headers were read.
    package let requests = Atomic<UInt64>(0)
    /// Requests refused for their framing or size.
    package let framingRefused = Atomic<UInt64>(0)
    /// Connections closed because a deadline passed.
    package let timeouts = Atomic<UInt64>(0)

    package init() {}
}
