import StoreWire

/// How far a reader of the log is, to the byte of payload.
///
/// It is all that is kept of the log for a reader: what comes next is looked up whenever its socket
/// takes more, so a reader that is behind has nothing waiting in memory.
package struct LogCursor: Sendable, Equatable {
    /// Every record up to this version is sent whole.
    package private(set) var version: UInt64
    /// How many bytes of the next record's frame are sent.
    package private(set) var begunBytes = 0

    /// Begins after a version.
    package init(after version: UInt64) {
        self.version = version
    }

    /// Where the bytes of a piece lie that are still to be sent; `nil` where the next record is not
    /// in the piece.
    package func rest(of piece: LogPiece) -> Range<Int>? {
        guard version < .max, piece.contains(version + 1) else { return nil }
        // Frames of records that the reader may not read are empty.
        let frame = piece.place(of: version + 1)
        if frame.isEmpty, begunBytes == 0 { return frame.lowerBound..<piece.bytes.count }
        // The same record always has the same frame; a shorter one is not the frame that was begun.
        guard begunBytes < frame.count else { return nil }
        return frame.lowerBound + begunBytes..<piece.bytes.count
    }

    /// Passes over the records of a piece that the reader may not read, where they are all that is
    /// left of it. Returns whether they are.
    package mutating func passHidden(in piece: LogPiece) -> Bool {
        guard begunBytes == 0, let rest = rest(of: piece), rest.isEmpty else { return false }
        version = piece.last
        return true
    }

    /// Notes that the piece was sent up to an offset. Returns how many frames are whole by that.
    package mutating func sent(upTo offset: Int, of piece: LogPiece) -> Int {
        let before = version
        let whole = piece.frames(before: offset)
        version = piece.first + UInt64(whole) - 1
        begunBytes = offset - (whole == 0 ? 0 : piece.ends[whole - 1])
        return Int(version - before)
    }
}
