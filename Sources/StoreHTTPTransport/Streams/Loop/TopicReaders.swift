import StoreEventStream

/// A topic with its readers.
struct TopicReaders {
    let id: TopicID
    var topic = Topic(framing: Chunk.of)
    /// In place of `topic` in patch mode.
    var patches = PatchFrames(framing: Chunk.of)
    var slots: [Int32] = []
    /// How many of them, the first ones, are sent each frame as it comes: the others are being sent
    /// a large one.
    var following = 0
    /// How many frames were for all of them.
    var framesForAll: UInt64 = 0

    var followers: [Int32] {
        following == slots.count ? slots : Array(slots.prefix(following))
    }

    /// The version of its newest frame, where there is one.
    var newestVersion: UInt64? {
        id.mode == .patch ? patches.newest?.version : topic.newestVersion
    }
}
