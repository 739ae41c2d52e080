package import StoreWire

/// Makes the events that the stream writer sends of its own accord, on any stream: the heartbeat,
/// and the last event before it closes a stream. The writer does not have the epoch, so the layer
/// of HTTP gives it these.
package struct StreamFrames: Sendable {
    /// The event that shows a quiet stream to be alive; `version` is the newest of its topic.
    package let heartbeat: @Sendable (_ version: UInt64) -> Bytes
    /// The event that says in how many seconds the stream ends with its owner's credential.
    package let expiring: @Sendable (_ seconds: Int64) -> Bytes
    /// The last event of a stream that the server closes, with the reason.
    package let bye: @Sendable (CloseReason) -> Bytes

    package init(
        heartbeat: @escaping @Sendable (UInt64) -> Bytes,
        expiring: @escaping @Sendable (Int64) -> Bytes,
        bye: @escaping @Sendable (CloseReason) -> Bytes
    ) {
        self.heartbeat = heartbeat
        self.expiring = expiring
        self.bye = bye
    }
}
