package import StoreJSON

/// The port through which versions are sent to the readers of a topic. Any thread may call its
/// functions, and none of them waits.
package protocol StreamPublisher: AnyObject, Sendable {
    /// The number of open streams.
    var open: Int { get }

    /// The time in seconds that the publisher has worked so far.
    var workSeconds: Double { get }

    /// True if the publisher keeps up: it can send each version, without leaving versions out.
    var keepsUp: Bool { get }

    /// True if the topic has a reader, or a reader is about to join.
    func isRead(_ topic: TopicID) -> Bool

    /// Sends a frame without a version to the present readers of a topic, in any mode. Returns
    /// `false` if too many such frames wait, or the publisher has ended.
    func sendOnce(_ frame: Bytes, to topic: TopicID) -> Bool

    /// Brings the readers of a topic to a version, if they pass the filter. A `nil` filter passes
    /// all readers.
    func publish(_ version: TopicVersion, to topic: TopicID, for filter: ReaderFilter?)
}

/// A version of a topic, as the writer gets it.
package struct TopicVersion: Sendable {
    package enum Content: Sendable {
        /// The payload of one frame, the same for all readers.
        case frame(Bytes)
        /// The state from which the writer makes a frame for each reader, in patch mode.
        case state(any TopicState)
    }

    package let number: UInt64
    package let content: Content

    package init(_ number: UInt64, frame: Bytes) {
        self.number = number
        content = .frame(frame)
    }

    package init(_ number: UInt64, state: any TopicState) {
        self.number = number
        content = .state(state)
    }

    /// The number of bytes that the version does not share with other versions.
    package var bytes: Int {
        switch content {
        case .frame(let frame): frame.ownCount
        case .state(let state): state.bytes
        }
    }
}

/// A version of a topic's subject. The writer makes frames of it when readers need them.
///
/// Frames are payload: server-sent events, without chunks.
package protocol TopicState: Sendable {
    /// The approximate number of bytes that this version does not share with the version before.
    var bytes: Int { get }

    /// Returns the frame with the whole value.
    func whole() -> Bytes

    /// Returns the frame that leads to this version from an earlier one; `nil` if there is no such
    /// patch. If `isSkip` is true, versions between the two are left out. The result is then also
    /// `nil` if the patch would be larger than ``whole()``.
    func patch(from old: any TopicState, isSkip: Bool) -> Bytes?

    /// Returns the number of bytes in this version that a newer version does not share: the cost of
    /// keeping this version.
    func bytesKept(beside newer: any TopicState) -> Int
}

/// A filter of readers by their names, which returns true if the reader gets a frame. A `nil` name
/// stands for a reader without a name.
package typealias ReaderFilter = @Sendable (String?) -> Bool
