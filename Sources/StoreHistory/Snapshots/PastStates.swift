import StoreCore
package import StoreEventStream
package import StorePublishing
package import StoreWire

/// The port that makes past states from history.
package protocol PastStates: Sendable {
    /// Returns the state of a version. Waits for the disk.
    ///
    /// - Throws: 410 if history does not reach back that far, 503 if it takes too long.
    func snapshot(at version: UInt64) throws(Problem) -> Snapshot

    /// Finds the action that last changed a part of the state, up to a version and as a viewer sees
    /// it. Waits for the disk.
    ///
    /// - Throws: the same problems as ``snapshot(at:)``.
    func blame(
        _ pointer: JSONPointer,
        at version: UInt64,
        for viewer: Viewer
    ) throws(Problem) -> Blame
}
