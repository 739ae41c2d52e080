package import StoreWire

/// The port through which the stream writer reads the log, piece by piece, as fast as its readers
/// take it.
package protocol LogSource: AnyObject, Sendable {
    /// The newest version that may be sent.
    var version: UInt64 { get }

    /// Returns the records after a version that a viewer may read. The writer's thread calls this
    /// function, so it never waits: ``LogAnswer/pending`` means that another thread reads first.
    func next(after version: UInt64, for viewer: Viewer) -> LogAnswer

    /// Returns the frame for a reader that has every record up to a version.
    func caughtUp(at version: UInt64) -> Bytes
}
