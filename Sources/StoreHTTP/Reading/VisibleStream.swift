import StoreEventStream
import StorePublishing
import StoreWire

/// A stream that a caller may read: its topic and its beginning.
struct VisibleStream: Sendable {
    /// The beginning of a stream, before the frames of the topic.
    enum First {
        /// A frame for this reader alone, with the version that it shows.
        case frame(Bytes, version: UInt64)
        /// No frame. A reader that has seen any version from `since` to `version` has seen the same
        /// content.
        case unchanged(since: UInt64, version: UInt64)
    }

    private(set) var topic: TopicID
    /// The client's place among the watchers of pointers, which the open stream holds. `nil` if it
    /// needs none.
    let place: WatchPlace?
    /// The member of the root state that it shows a part of; `nil` if it shows several members.
    let member: String?
    private let beginnings: any StreamBeginnings
    /// True if ``first`` is cheap in a version.
    private let isQuick: @Sendable (Snapshot) -> Bool
    /// Makes the beginning of the stream in the newest version that readers got. Also gives the
    /// topic this version, which it may lack while it has no readers. Returns `nil` if the frames
    /// of the topic suffice.
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

    /// Returns the same stream with frames of another form.
    func carrying(_ mode: StreamMode) -> VisibleStream {
        var stream = self
        stream.topic = topic.carrying(mode)
        return stream
    }

    /// Calls `open` at once, on the calling thread, if that is cheap and no version waits to be
    /// published. Returns true if it has called `open`.
    func beginNow(_ open: (First?) -> Void) -> Bool {
        beginnings.performNow(where: isQuick) { open(first($0)) }
    }

    /// Calls `open` on the publishing thread, between two versions, so that the stream misses none.
    func begin(_ open: @escaping @Sendable (First?) -> Void) {
        beginnings.perform { [first] in open(first($0)) }
    }
}
