import StoreJSON
import StoreWire

struct StreamSlot {
    var descriptor: CInt = -1
    /// A number that differs for each reader of the slot.
    var generation: UInt32 = 0
    var topicNumber: Int32 = 0
    /// The reader's index in the list of its topic.
    var indexInTopic: Int32 = 0
    var inputBytes: UInt32 = 0
    /// The end of the stream's lifetime, in whole seconds of the loop; 0 if the lifetime has no
    /// bound.
    var lifetimeEnd: UInt32 = 0
    /// The time at which the reader joined, in whole seconds of the clock.
    var joinedAt: UInt32 = 0
    /// The first version that the reader does not have; 0 if the reader has no version. Only patch
    /// mode advances the number.
    var nextVersion: UInt64 = 0
    /// The cause of the stream's end. `nil` while the server has not begun to end the stream.
    private(set) var ending: StreamEnding?

    /// Notes the cause of the stream's end. The first cause counts.
    mutating func end(because ending: StreamEnding) {
        if self.ending == nil { self.ending = ending }
    }
}

struct TopicReaders {
    let id: TopicID
    var topic = Topic()
    /// The frames of a topic in patch mode. In this mode, `topic` is not used.
    var patches = PatchFrames()
    var slots: [Int32] = []
    /// The number of followers, which are the first elements of `slots` and get each frame
    /// immediately. The other readers are being sent a large frame.
    var followerCount = 0
    /// The number of frames of this topic, so far, that were for all readers.
    var framesForAllCount: UInt64 = 0

    var followers: [Int32] {
        followerCount == slots.count ? slots : Array(slots.prefix(followerCount))
    }

    /// The version of the newest frame, if there is a frame.
    var newestVersion: UInt64? { id.mode == .patch ? patches.newest?.version : topic.newestVersion }
}

/// The data about a reader whose socket did not take every byte.
struct BehindReader {
    /// The most frames without a version that wait for the reader.
    static let commandsMax = 16

    var backlog: Backlog
    /// The time at which the socket last took a byte.
    var progressedAt: Double
    /// The version that the reader had before the backlog; `nil` if the reader had no version.
    var versionBeforeBacklog: UInt64?
    /// True if the stream ends when the backlog is sent.
    var isClosing = false
    /// True if the reader gets the newest version after the backlog.
    var needsNewest = false
    /// The large frame at the head of the backlog, unless the stream is in patch mode.
    var largeFrame: LargeFrame?
    /// The frames without a version that follow the backlog.
    var commands: [Bytes] = []
    /// True if the socket takes more bytes, and the reader waits for its turn.
    var awaitsTurn = false
}
