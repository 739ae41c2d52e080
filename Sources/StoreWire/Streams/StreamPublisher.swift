package import StoreJSON

/// The port through which a store sends versions to the readers of topics. Any thread may call the
/// functions of the port, and no function waits.
package protocol StreamPublisher: AnyObject, Sendable {
    /// The number of open streams.
    var openStreamCount: Int { get }

    /// The time in seconds that the publisher's threads have worked so far.
    var workSeconds: Double { get }

    /// True if the publisher is fast enough to send every version, without leaving versions out.
    var keepsUp: Bool { get }

    /// Returns true if the topic has a reader, or if a reader is about to join the topic.
    func hasReaders(_ topic: TopicID) -> Bool

    /// Sends a frame without a version to all present readers of a topic, in every mode of the
    /// topic. Returns `false` if too many frames of this kind wait, or if the publisher has ended.
    func sendUnversioned(_ frame: Bytes, to topic: TopicID) -> Bool

    /// Sends a version of a topic to each reader for which the filter returns true. If the filter
    /// is `nil`, sends the version to all readers of the topic.
    func publish(_ version: TopicVersion, to topic: TopicID, for filter: ReaderFilter?)
}

/// A version of a topic, in the form that the stream writer gets.
package struct TopicVersion: Sendable {
    package enum Content: Sendable {
        /// The bytes of one frame, which is the same for all readers.
        case frame(Bytes)
        /// The state from which the writer makes the frames of readers in patch mode.
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
    package var unsharedByteCount: Int {
        switch content {
        case .frame(let frame): frame.unsharedCount
        case .state(let state): state.unsharedByteCount
        }
    }
}

/// A version of a topic's subject. The stream writer makes frames from this version when readers
/// need them.
///
/// A frame is a server-sent event, without the framing of HTTP chunks.
package protocol TopicState: Sendable {
    /// The approximate number of bytes that this version does not share with the preceding version.
    var unsharedByteCount: Int { get }

    /// Returns the frame with the whole value.
    func snapshotFrame() -> Bytes

    /// Returns the frame with the patch from an earlier version to this version; `nil` if there is
    /// no such patch. If `skipsVersions` is true, the reader did not get the versions between these
    /// two. The result is then also `nil` if the patch would be larger than ``snapshotFrame()``.
    func patchFrame(from old: any TopicState, skipsVersions: Bool) -> Bytes?

    /// Returns the number of bytes of this version that a newer version does not share. Keeping
    /// this version beside the newer version takes these bytes of memory.
    func unsharedByteCount(beside newer: any TopicState) -> Int
}

/// A filter of readers by name. The filter returns true if the reader with this name gets a frame.
/// The name is `nil` for a reader without a name.
package typealias ReaderFilter = @Sendable (String?) -> Bool
