package import StoreEventStream
package import StoreJSON
package import StoreTexts

/// The port through which streams begin. Each stream begins at its place between two published
/// versions, so that it misses none.
package protocol StreamBeginnings: AnyObject, Sendable {
    /// The streams of parts of the state.
    var parts: PartStreams { get }

    /// Runs `task` between two published versions, with the last published version. A new stream
    /// begins with that version.
    func perform(_ task: @escaping @Sendable (Snapshot) -> Void)

    /// Runs `task` at once, on the caller's thread, if nothing waits to be published and `isQuick`
    /// returns true. Returns true if `task` ran.
    func performNow(where isQuick: (Snapshot) -> Bool, _ task: (Snapshot) -> Void) -> Bool

    /// Publishes the newest version, as a viewer sees it, to the state's streams. Streams without
    /// readers may lack it. Call it after the stream's place is reserved and before the stream
    /// opens.
    func announce(to viewer: Viewer, in snapshot: Snapshot)

    /// Returns the topic of a module's stream.
    func topic(of topic: SliceTopic) -> TopicID

    /// Publishes a module's newest slice for a stream that is about to open.
    func announce(_ topic: SliceTopic, in snapshot: Snapshot)

    /// Publishes the newest value of a part for a stream that is about to open.
    func announce(_ part: WatchedPart, in snapshot: Snapshot)

    /// Publishes a view for a stream that is about to open. The stream begins after the Core has
    /// passed the state to the view.
    func announce(_ view: ViewRequest)

    /// Returns the first frame for a reader of a module's changes, with its version. The frame has
    /// the current slice, and no value before it.
    func beginning(
        of module: Int,
        for session: ExactText?,
        in snapshot: Snapshot
    ) -> (frame: Bytes, version: UInt64)
}
