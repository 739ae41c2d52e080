import StoreJSON
import StoreWire

/// The position of a reader in the log: the next record, and the chunk that is sent in part.
///
/// The value itself sends nothing: ``nextSegments(of:isEnding:)`` returns the bytes to send, and
/// ``noteSent(_:of:of:)`` takes the number of bytes that the socket took. A chunk consists of whole
/// records, so a heartbeat or a `bye` may be sent between two chunks. Before each call of
/// ``nextSegments(of:isEnding:)``, the caller looks up the next piece of the log (``LogPiece``)
/// again. Pieces of different calls may begin and end at different records.
struct LogPosition {
    /// The size in bytes from which a chunk takes no more records. Chunks are short, because no
    /// other frame can be sent within a chunk. A single record may be longer.
    static let chunkBytesMin = 16 << 10
    /// The most chunks that one call of ``nextSegments(of:isEnding:)`` returns. A piece usually has
    /// fewer chunks.
    static let chunksMax = 20

    private(set) var cursor: LogCursor
    /// The chunk that is sent in part.
    private(set) var unfinishedChunk: LogChunk?

    init(after version: UInt64) { cursor = LogCursor(after: version) }

    /// True if a frame other than a record may be sent now.
    var isBetweenChunks: Bool { unfinishedChunk == nil }

    /// The unsent bytes of a chunk whose payload is sent whole. No piece of the log is needed to
    /// send these bytes.
    var unsentTail: LogSegment? {
        unfinishedChunk.flatMap {
            $0.unsentPayloadBytes == 0 ? LogSegment(chunk: $0, payloadRange: 0..<0) : nil
        }
    }

    /// Skips the rest of a piece, and returns `true`, if the reader may see no record in this rest.
    mutating func skipHiddenRest(of piece: LogPiece) -> Bool {
        unfinishedChunk == nil && cursor.skipHiddenRest(of: piece)
    }

    /// Returns the next chunks of a piece; `nil` if the piece does not have the next record. If the
    /// stream is ending, returns only the rest of the chunk that is sent in part.
    func nextSegments(of piece: LogPiece, isEnding: Bool = false) -> [LogSegment]? {
        guard let rest = cursor.unsentRange(of: piece) else { return nil }
        var segments: [LogSegment] = []
        var start = rest.lowerBound
        if let unfinishedChunk {
            let end = min(start + unfinishedChunk.unsentPayloadBytes, rest.upperBound)
            segments.append(LogSegment(chunk: unfinishedChunk, payloadRange: start..<end))
            start = end
        }
        while !isEnding, start < rest.upperBound, segments.count < Self.chunksMax {
            let end = piece.frameEnd(atOrAfter: min(start + Self.chunkBytesMin, rest.upperBound))
            let chunk = LogChunk(payloadBytes: end - start)
            segments.append(LogSegment(chunk: chunk, payloadRange: start..<end))
            start = end
        }
        return segments
    }

    /// Notes that a socket took `count` bytes. Returns the number of completed records.
    mutating func noteSent(_ count: Int, of segments: [LogSegment], of piece: LogPiece?) -> Int {
        var rest = count
        var payload = 0
        for segment in segments where rest > 0 {
            let taken = min(rest, segment.unsentBytes)
            unfinishedChunk = segment.chunk.afterSending(taken)
            payload +=
                (unfinishedChunk?.sentPayloadBytes ?? segment.chunk.payloadBytes)
                - segment.chunk.sentPayloadBytes
            rest -= taken
        }
        guard let piece, let start = segments.first?.payloadRange.lowerBound, payload > 0 else {
            return 0
        }
        return cursor.noteSent(upTo: start + payload, of: piece)
    }
}

/// A chunk of records on its way to a reader of the log: its size, and the number of bytes sent.
///
/// From the first byte of the chunk's head to the last byte of its tail, no other bytes may be
/// sent.
struct LogChunk: Equatable {
    /// The number of bytes of the payload. The chunk's head has this number.
    let payloadBytes: Int
    /// The number of bytes sent, of head, payload and tail together.
    private(set) var sentBytes = 0

    var headBytes: Int { Chunk.headBytes(of: payloadBytes) }
    var totalBytes: Int { headBytes + payloadBytes + Chunk.tailBytes }

    var sentHeadBytes: Int { min(sentBytes, headBytes) }
    var sentPayloadBytes: Int { min(max(sentBytes - headBytes, 0), payloadBytes) }
    var sentTailBytes: Int { max(sentBytes - headBytes - payloadBytes, 0) }
    var unsentPayloadBytes: Int { payloadBytes - sentPayloadBytes }

    /// Returns the chunk after `count` more bytes are sent; `nil` if the chunk is then complete.
    func afterSending(_ count: Int) -> LogChunk? {
        var chunk = self
        chunk.sentBytes += count
        return chunk.sentBytes < totalBytes ? chunk : nil
    }
}

/// The position of a reader in the log, exact to the byte.
///
/// No records wait in memory for a slow reader. The writer looks the next records up when the
/// reader's socket takes more bytes.
struct LogCursor: Sendable, Equatable {
    /// The version up to which all records are sent whole.
    private(set) var version: UInt64
    /// The number of bytes of the next record's frame that are sent.
    private(set) var sentBytesOfNext = 0

    /// Starts at the record that follows a version.
    init(after version: UInt64) { self.version = version }

    /// Returns the range of unsent bytes; `nil` if the piece does not have the next record.
    func unsentRange(of piece: LogPiece) -> Range<Int>? {
        guard version < .max, piece.contains(version + 1) else { return nil }
        // The frame of a record is empty if the reader may not see the record.
        let frame = piece.frameRange(of: version + 1)
        if frame.isEmpty, sentBytesOfNext == 0 { return frame.lowerBound..<piece.bytes.count }
        // A record always has the same frame. So if the frame is too short, another frame was sent
        // in part.
        guard sentBytesOfNext < frame.count else { return nil }
        return frame.lowerBound + sentBytesOfNext..<piece.bytes.count
    }

    /// Skips the rest of a piece, and returns `true`, if the reader may see no record in this rest.
    mutating func skipHiddenRest(of piece: LogPiece) -> Bool {
        guard sentBytesOfNext == 0, let rest = unsentRange(of: piece), rest.isEmpty else {
            return false
        }
        version = piece.lastVersion
        return true
    }

    /// Notes that the piece is sent up to an offset. Returns the number of completed frames.
    mutating func noteSent(upTo offset: Int, of piece: LogPiece) -> Int {
        let before = version
        let whole = piece.frameCount(endingAtOrBefore: offset)
        version = piece.firstVersion + UInt64(whole) - 1
        sentBytesOfNext = offset - (whole == 0 ? 0 : piece.frameEnds[whole - 1])
        return Int(version - before)
    }
}
