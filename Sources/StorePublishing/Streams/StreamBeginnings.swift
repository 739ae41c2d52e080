package import StoreEventStream
package import StoreTexts
package import StoreWire

/// Lets streams begin: each at its place between two published versions, so that it misses none.
package protocol StreamBeginnings: AnyObject, Sendable {
    /// The streams of parts of the state.
    var parts: PartStreams { get }

    /// Does something between two versions that readers are sent, given the newest that they were
    /// sent: where a stream opens, it begins with that one.
    func perform(_ task: @escaping @Sendable (Snapshot) -> Void)

    /// The same at once, on the caller's thread, where nothing waits to be published and it costs
    /// little. Returns whether it was done.
    func performNow(where isQuick: (Snapshot) -> Bool, _ task: (Snapshot) -> Void) -> Bool

    /// Gives the state's streams the newest version, as a viewer sees it; they may lack it while
    /// none is read. Called between reserving a place for a stream and opening it.
    func announce(to viewer: Viewer, in snapshot: Snapshot)

    /// The topic of a module's stream.
    func topic(of topic: SliceTopic) -> TopicID

    /// Likewise, for the stream of a module.
    func announce(_ topic: SliceTopic, in snapshot: Snapshot)

    /// Likewise, for the stream of another part of the state.
    func announce(_ part: WatchedPart, in snapshot: Snapshot)

    /// Likewise, for the stream of a view: it begins when the Core has shown it the state.
    func announce(_ view: ViewRequest)

    /// What a reader of a module's changes begins with: the slice as it is, and nothing before it.
    func beginning(
        of module: Int,
        for session: ExactText?,
        in snapshot: Snapshot
    ) -> (frame: Bytes, version: UInt64)
}
