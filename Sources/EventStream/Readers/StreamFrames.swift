package import Wire

/// Makes the frames that the writer sends on its own account; it encodes nothing itself.
package struct StreamFrames: Sendable {
    /// The heartbeat while this is the newest version of the topic.
    package let heartbeat: @Sendable (_ version: UInt64) -> Bytes
    /// The last words of a stream that is closed for this reason.
    package let bye: @Sendable (CloseReason) -> Bytes

    package init(
        heartbeat: @escaping @Sendable (UInt64) -> Bytes,
        bye: @escaping @Sendable (CloseReason) -> Bytes
    ) {
        self.heartbeat = heartbeat
        self.bye = bye
    }
}
