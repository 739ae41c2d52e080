import StoreCore
package import StoreEventStream
package import StorePublishing
package import StoreWire

/// Makes states that are past again, from history.
package protocol PastStates: Sendable {
    /// The state of a version. May take as long as a disk does.
    ///
    /// - Throws: 410 where history does not reach back that far, 503 where it takes too long.
    func snapshot(at version: UInt64) throws(Problem) -> Snapshot

    /// Which action up to a version last changed a part of the state, as a viewer sees it.
    /// May take as long as a disk does.
    ///
    /// - Throws: as ``snapshot(at:)`` does.
    func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        for viewer: Viewer
    ) throws(Problem) -> Blame
}
