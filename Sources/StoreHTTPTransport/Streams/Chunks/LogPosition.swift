import StoreEventStream

/// How far a reader of the log is: its place in the records, and the chunk that is begun.
///
/// A machine without effects: ``next(of:)`` returns what to send, ``sent(_:of:)`` gets how much of
/// it the socket took. A chunk has whole records, so a heartbeat or a `bye` may be sent between two
/// chunks. The log is looked up anew for each call, and pieces may be cut elsewhere each time.
struct LogPosition {
    /// From how many bytes on a chunk takes no more records. What is begun has to be finished
    /// before anything else is sent, so chunks are short; a single record may be longer.
    static let chunkBytesMin = 16 << 10
    /// The most chunks that one call sends: more than a piece usually has.
    static let chunksMax = 20

    private(set) var cursor: LogCursor
    /// The chunk that is sent in part.
    private(set) var begun: LogChunk?

    init(after version: UInt64) {
        cursor = LogCursor(after: version)
    }

    /// Whether a frame of its own may be sent now.
    var isBetweenChunks: Bool { begun == nil }

    /// What is left of a chunk whose payload is sent whole; it takes no piece of the log.
    var tail: LogSegment? {
        begun.flatMap { $0.unsentPayload == 0 ? LogSegment(chunk: $0, payload: 0..<0) : nil }
    }

    /// Passes over the records of a piece that the reader may not read, where they are all that is
    /// left of it. Returns whether they are.
    mutating func passHidden(in piece: LogPiece) -> Bool {
        begun == nil && cursor.passHidden(in: piece)
    }

    /// What of a piece comes next; `nil` where the next record is not in the piece. At the end,
    /// only the chunk that is begun is finished.
    func next(of piece: LogPiece, isEnding: Bool = false) -> [LogSegment]? {
        guard let rest = cursor.rest(of: piece) else { return nil }
        var segments: [LogSegment] = []
        var start = rest.lowerBound
        if let begun {
            let end = min(start + begun.unsentPayload, rest.upperBound)
            segments.append(LogSegment(chunk: begun, payload: start..<end))
            start = end
        }
        while !isEnding, start < rest.upperBound, segments.count < Self.chunksMax {
            let end = piece.end(from: min(start + Self.chunkBytesMin, rest.upperBound))
            let chunk = LogChunk(payloadBytes: end - start)
            segments.append(LogSegment(chunk: chunk, payload: start..<end))
            start = end
        }
        return segments
    }

    /// Notes that a socket took so many bytes of what came next. Returns how many records are whole
    /// by that.
    mutating func sent(_ count: Int, of segments: [LogSegment], of piece: LogPiece?) -> Int {
        var rest = count
        var payload = 0
        for segment in segments where rest > 0 {
            let taken = min(rest, segment.bytes)
            begun = segment.chunk.sending(taken)
            payload +=
                (begun?.sentOfPayload ?? segment.chunk.payloadBytes)
                - segment.chunk.sentOfPayload
            rest -= taken
        }
        guard let piece, let start = segments.first?.payload.lowerBound, payload > 0 else {
            return 0
        }
        return cursor.sent(upTo: start + payload, of: piece)
    }
}
