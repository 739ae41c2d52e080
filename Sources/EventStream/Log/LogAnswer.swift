package import Wire

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
