import EventStream

/// A topic with its readers.
struct TopicReaders {
    let id: TopicID
    var topic = Topic()
    /// The same for those who read it in patch mode.
    var steps = Steps()
    var slots: [Int32] = []
    /// How many of them, the first ones, are sent each frame as it comes: the others are sent a large
    /// one just now.
    var following = 0
    /// How many frames were for all of them.
    var framesForAll: UInt64 = 0

    var followers: [Int32] {
        following == slots.count ? slots : Array(slots.prefix(following))
    }

    /// The version that its newest frames tell of, where there is one.
    var newestVersion: UInt64? {
        id.mode == .patch ? steps.newest?.version : topic.newestVersion
    }
}
