package import StoreWire

/// Sends what is published to those who read it. Any thread; nothing waits.
package protocol StreamPublisher: AnyObject, Sendable {
    /// How many streams are open.
    var open: Int { get }

    /// For how many seconds it has worked so far.
    var workSeconds: Double { get }

    /// Whether it keeps up with what is published, so that each version is worth a frame.
    var keepsUp: Bool { get }

    /// Whether there is a reader of this topic, or one is about to come.
    func isRead(_ topic: TopicID) -> Bool

    /// Sends a frame that belongs to no version to all that read a topic now, in any mode. Returns
    /// `false` where too many of these wait.
    func sendOnce(_ frame: Bytes, to topic: TopicID) -> Bool

    /// Sends a frame to these readers of a topic; to all where the audience is `nil`.
    func publish(topic: TopicID, version: UInt64, frame: Bytes, for audience: StreamAudience?)

    /// Brings these readers of a topic to a version, each from the one that it has; all readers
    /// where the audience is `nil`.
    func publish(
        topic: TopicID,
        version: UInt64,
        state: any TopicState,
        for audience: StreamAudience?
    )
}
