package import StoreWire

/// What a reader of the log is sent next.
package enum LogAnswer: Sendable {
    /// A piece that has the next record.
    case piece(LogPiece)
    /// Nothing yet: there is no newer version than this one. The source wakes the writer when there
    /// is.
    case caughtUp(UInt64)
    /// Nothing yet: it is being read. The source wakes the writer when it is there.
    case pending
    /// Records up to and including this version are removed: a frame with the reason, and the log
    /// from there on.
    case gone(resync: Bytes, through: UInt64)
    /// It can't be read.
    case unreadable
}
