package import EventStream
package import Wire

/// The port through which the stream writer gets the log, piece by piece, as its readers take it.
package protocol LogSource: AnyObject, Sendable {
    /// The newest version that may be sent.
    var version: UInt64 { get }

    /// What comes after a version. The writer's thread calls it, so it never waits: what has to be
    /// read first is ``LogAnswer/pending``.
    func next(after version: UInt64) -> LogAnswer

    /// The frame that tells a reader that it has everything up to a version.
    func caughtUp(at version: UInt64) -> Bytes
}

/// What a reader of the log is to be sent next.
package enum LogAnswer: Sendable {
    /// A piece that has the next record.
    case piece(LogPiece)
    /// Nothing yet: there is no newer version than this one. The source says when there is.
    case caughtUp(UInt64)
    /// Nothing yet: it is being read. The source says when it is there.
    case pending
    /// History does not reach back that far: these bytes say so, and it goes on after a version.
    case gone(saying: Bytes, after: UInt64)
    /// It can't be read.
    case unreadable
}
