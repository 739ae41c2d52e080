package import StoreWire

/// The port through which the stream writer gets the log, piece by piece, as its readers take it.
package protocol LogSource: AnyObject, Sendable {
    /// The newest version that may be sent.
    var version: UInt64 { get }

    /// What comes after a version, as far as a viewer may read it. The writer's thread
    /// calls it, so it never waits: what has to be read first is ``LogAnswer/pending``.
    func next(after version: UInt64, for viewer: Viewer) -> LogAnswer

    /// The frame for a reader that has everything up to a version.
    func caughtUp(at version: UInt64) -> Bytes
}
