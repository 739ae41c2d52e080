package import StoreWire

/// The closures that make the events of every stream: the heartbeat, the notice before a credential
/// ends, and the last event. The writer does not have the epoch, so the HTTP layer provides the
/// closures.
package struct StreamFrames: Sendable {
    /// Makes the event that keeps a quiet stream alive. `version` is the newest version of the
    /// store.
    package let heartbeat: @Sendable (_ version: UInt64) -> Bytes
    /// Makes the event that announces in how many seconds the owner's credential ends the stream.
    package let expiring: @Sendable (_ seconds: Int64) -> Bytes
    /// Makes the last event of a stream that the server closes.
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
