/// How far a reader of the log is, to the byte.
///
/// It is all that is kept for a reader: what it is still to be sent is looked up anew whenever its
/// socket takes more, so a reader that is behind has nothing waiting in memory.
package struct LogCursor: Sendable, Equatable {
    /// Every record up to this version is sent whole.
    package private(set) var version: UInt64
    /// How many bytes of the next record's frame are sent.
    package private(set) var begunBytes = 0

    /// Begins after a version.
    package init(after version: UInt64) {
        self.version = version
    }

    /// Whether a frame is sent in part, so that nothing else may be sent now.
    package var isWithinFrame: Bool { begunBytes > 0 }

    /// What of a piece is still to be sent; `nil` where the piece lacks the next record.
    package func rest(of piece: LogPiece) -> Range<Int>? {
        beginning(in: piece).map { $0..<piece.place(of: piece.last).upperBound }
    }

    /// What is missing of the frame that is begun; `nil` where the piece lacks it.
    package func restOfFrame(in piece: LogPiece) -> Range<Int>? {
        beginning(in: piece).map { $0..<piece.place(of: version + 1).upperBound }
    }

    /// Notes that the piece was sent up to an offset. Answers how many frames are whole by that.
    package mutating func sent(upTo offset: Int, of piece: LogPiece) -> Int {
        let before = version
        let whole = piece.frames(before: offset)
        version = piece.first + UInt64(whole) - 1
        begunBytes = offset - (whole == 0 ? 0 : piece.ends[whole - 1])
        return Int(version - before)
    }

    private func beginning(in piece: LogPiece) -> Int? {
        guard version < .max, piece.contains(version + 1) else { return nil }
        let frame = piece.place(of: version + 1)
        // The same record always has the same frame; a shorter one is none that was begun.
        return begunBytes < frame.count ? frame.lowerBound + begunBytes : nil
    }
}
