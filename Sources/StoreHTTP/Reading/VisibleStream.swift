import StoreEventStream
import StorePublishing
import StoreWire

/// A stream that one caller may read: its topic, and what it begins with.
struct VisibleStream: Sendable {
    /// What a stream begins with, beside the frames of the topic.
    enum First {
        /// What a reader is sent before them, and the version that it shows.
        case frame(Bytes, version: UInt64)
        /// Nothing: who has seen a version from `since` on has seen what this one shows.
        case unchanged(since: UInt64, version: UInt64)
    }

    private(set) var topic: TopicID
    /// The client's place among those that watch pointers, which the open stream holds; `nil` where
    /// it needs none.
    let place: WatchPlace?
    /// The member of the root state that it shows a part of; `nil` if it shows no part of one.
    let member: String?
    private let beginnings: any StreamBeginnings
    /// Whether ``first`` costs little in a version.
    private let isQuick: @Sendable (Snapshot) -> Bool
    /// Makes what the stream begins with in the newest version that readers were sent. The topic
    /// itself may lack that while it is not read, and is given it here; `nil` where that will do.
    private let first: @Sendable (Snapshot) -> First?

    init(
        _ topic: TopicID,
        _ beginnings: any StreamBeginnings,
        in place: WatchPlace? = nil,
        ofMember member: String? = nil,
        where isQuick: @escaping @Sendable (Snapshot) -> Bool,
        first: @escaping @Sendable (Snapshot) -> First?
    ) {
        self.topic = topic
        self.beginnings = beginnings
        self.place = place
        self.member = member
        self.isQuick = isQuick
        self.first = first
    }

    /// The same with frames of another form.
    func carrying(_ mode: StreamMode) -> VisibleStream {
        var stream = self
        stream.topic = topic.carrying(mode)
        return stream
    }

    /// Calls `open` at once, on the caller's thread, where that costs little and no version waits
    /// to be published. Returns whether it has called it.
    func beginNow(_ open: (First?) -> Void) -> Bool {
        beginnings.performNow(where: isQuick) { open(first($0)) }
    }

    /// Calls `open` at the stream's place between two versions that readers are sent, so that it
    /// misses none. On the publishing thread.
    func begin(_ open: @escaping @Sendable (First?) -> Void) {
        beginnings.perform { [first] in open(first($0)) }
    }
}
