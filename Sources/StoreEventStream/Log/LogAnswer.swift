package import StoreWire

/// The answer of a ``LogSource`` to a reader that needs the next record.
package enum LogAnswer: Sendable {
    /// A piece of the log that contains the next record.
    case piece(LogPiece)
    /// The reader has every record up to the newest version, which is this one. The source wakes
    /// the writer when there is a newer version.
    case caughtUp(UInt64)
    /// A thread is reading the next record. The source wakes the writer when it has the record.
    case pending
    /// The records up to and including this version are removed. The reader gets a frame with the
    /// reason, and the log from the next version on.
    case gone(resync: Bytes, through: UInt64)
    /// The next record can't be read.
    case unreadable
}
