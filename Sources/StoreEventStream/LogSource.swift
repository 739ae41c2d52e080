package import StoreJSON

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

/// The position of a reader in the log, to the byte of payload.
///
/// The cursor is the only memory that the log takes for a reader. The writer looks the next records
/// up when the reader's socket takes more, so nothing waits in memory for a slow reader.
package struct LogCursor: Sendable, Equatable {
    /// The version up to which every record is sent whole.
    package private(set) var version: UInt64
    /// The number of bytes of the next record's frame that are sent.
    package private(set) var begunBytes = 0

    /// Starts at the record that follows a version.
    package init(after version: UInt64) {
        self.version = version
    }

    /// Returns the offsets in the piece that are still to be sent; `nil` if the piece does not have
    /// the next record.
    package func rest(of piece: LogPiece) -> Range<Int>? {
        guard version < .max, piece.contains(version + 1) else { return nil }
        // The frame of a record is empty if the reader may not read the record.
        let frame = piece.place(of: version + 1)
        if frame.isEmpty, begunBytes == 0 { return frame.lowerBound..<piece.bytes.count }
        // A record always has the same frame, so a shorter frame is not the one that was begun.
        guard begunBytes < frame.count else { return nil }
        return frame.lowerBound + begunBytes..<piece.bytes.count
    }

    /// Passes over the rest of a piece if the reader may read none of its records. Returns `true`
    /// if the cursor has moved.
    package mutating func passHidden(in piece: LogPiece) -> Bool {
        guard begunBytes == 0, let rest = rest(of: piece), rest.isEmpty else { return false }
        version = piece.last
        return true
    }

    /// Advances the cursor: the piece is sent up to an offset. Returns the number of frames that
    /// are whole now.
    package mutating func sent(upTo offset: Int, of piece: LogPiece) -> Int {
        let before = version
        let whole = piece.frames(before: offset)
        version = piece.first + UInt64(whole) - 1
        begunBytes = offset - (whole == 0 ? 0 : piece.ends[whole - 1])
        return Int(version - before)
    }
}
