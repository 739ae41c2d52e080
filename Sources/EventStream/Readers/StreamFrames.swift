package import Wire

/// Makes the payload of the frames that the stream writer sends by itself.
package struct StreamFrames: Sendable {
    /// The heartbeat while this is the newest version of the topic.
    package let heartbeat: @Sendable (_ version: UInt64) -> Bytes
    /// The last frame of a stream that is closed for this reason.
    package let bye: @Sendable (CloseReason) -> Bytes

    package init(
        heartbeat: @escaping @Sendable (UInt64) -> Bytes,
        bye: @escaping @Sendable (CloseReason) -> Bytes
    ) {
        self.heartbeat = heartbeat
        self.bye = bye
    }
}
