import StoreEventStream

/// A topic with its readers.
struct TopicReaders {
    let id: TopicID
    var topic = Topic(framing: Chunk.of)
    /// The frames in patch mode, used in place of `topic`.
    var patches = PatchFrames(framing: Chunk.of)
    var slots: [Int32] = []
    /// The number of readers, from the start of `slots`, that get each frame as it comes. The
    /// others are being sent a large frame.
    var following = 0
    /// The number of frames that were for all readers.
    var framesForAll: UInt64 = 0

    var followers: [Int32] {
        following == slots.count ? slots : Array(slots.prefix(following))
    }

    /// The version of the newest frame, if there is a frame.
    var newestVersion: UInt64? {
        id.mode == .patch ? patches.newest?.version : topic.newestVersion
    }
}
