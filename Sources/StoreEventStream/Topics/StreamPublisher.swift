package import StoreJSON

/// The port through which versions are sent to the readers of a topic. Any thread may call its
/// functions, and none of them waits.
package protocol StreamPublisher: AnyObject, Sendable {
    /// The number of open streams.
    var open: Int { get }

    /// The time in seconds that the publisher has worked so far.
    var workSeconds: Double { get }

    /// True if the publisher keeps up, so that each version is worth a frame.
    var keepsUp: Bool { get }

    /// True if the topic has a reader, or a reader is about to join.
    func isRead(_ topic: TopicID) -> Bool

    /// Sends a frame without a version to the present readers of a topic, in any mode. Returns
    /// `false` if too many such frames wait, or the publisher has ended.
    func sendOnce(_ frame: Bytes, to topic: TopicID) -> Bool

    /// Sends a frame to the readers of a topic in this audience; to all readers if it is `nil`.
    func publish(topic: TopicID, version: UInt64, frame: Bytes, for audience: StreamAudience?)

    /// Brings the readers of a topic in this audience to a version, each from the version that it
    /// has. A `nil` audience stands for all readers.
    func publish(
        topic: TopicID,
        version: UInt64,
        state: any TopicState,
        for audience: StreamAudience?
    )
}

/// The new version of a topic, as a frame or as a state.
package enum Publication: Sendable {
    /// The payload of one frame, the same for all readers.
    case frame(Bytes)
    /// The state from which the writer makes a frame for each reader.
    case state(any TopicState)

    var bytes: Int {
        switch self {
        case .frame(let frame): frame.ownCount
        case .state(let state): state.bytes
        }
    }
}

/// A filter of readers by their names, which returns true if the reader gets a frame. A `nil` name
/// stands for a reader without a name.
package typealias StreamAudience = @Sendable (String?) -> Bool
