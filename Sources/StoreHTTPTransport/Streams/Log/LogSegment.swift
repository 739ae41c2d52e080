import Glibc

/// A chunk, or the unsent rest of a chunk that is sent in part. The payload is in a piece of the
/// log, which is a range of encoded records.
struct LogSegment: Equatable {
    let chunk: LogChunk
    /// The offsets of the unsent payload in the piece, as far as the piece has that payload.
    let payloadRange: Range<Int>

    /// The number of bytes that go to the socket.
    var unsentBytes: Int { unsentHeadBytes + payloadRange.count + unsentTailBytes }

    private var unsentHeadBytes: Int { chunk.headBytes - chunk.sentHeadBytes }

    /// The number of unsent bytes of the tail; 0 if the segment does not complete the payload.
    private var unsentTailBytes: Int {
        payloadRange.count == chunk.unsentPayloadBytes ? Chunk.tailBytes - chunk.sentTailBytes : 0
    }

    /// Returns the addresses of head, payload and tail. `source` has the bytes of the piece. `head`
    /// is memory into which the chunk's head is written. The line end in this memory is sent a
    /// second time, as the tail.
    fileprivate func vectors(
        of source: UnsafeRawBufferPointer,
        _ head: UnsafeMutableRawBufferPointer
    ) -> (head: iovec, payload: iovec, tail: iovec) {
        Chunk.writeHead(of: chunk.payloadBytes, to: head)
        let start = source.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
        let lineEnd = chunk.headBytes - Chunk.tailBytes
        return (
            iovec(start: head.baseAddress, from: chunk.sentHeadBytes, count: unsentHeadBytes),
            iovec(start: start, from: payloadRange.lowerBound, count: payloadRange.count),
            iovec(
                start: head.baseAddress,
                from: lineEnd + chunk.sentTailBytes,
                count: unsentTailBytes
            )
        )
    }
}

extension [LogSegment] {
    /// The number of bytes that go to the socket.
    var unsentBytes: Int { reduce(0) { $0 + $1.unsentBytes } }

    /// Calls `body` with the addresses of the bytes in their order. `source` has the bytes of the
    /// piece.
    func withVectors<Result>(
        of source: UnsafeRawBufferPointer,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        let headsBytes = count * Chunk.headBytesMax
        return withUnsafeTemporaryAllocation(byteCount: headsBytes, alignment: 1) { heads in
            withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3 * count) { vectors in
                for (index, segment) in enumerated() {
                    let room = heads[index * Chunk.headBytesMax..<(index + 1) * Chunk.headBytesMax]
                    (vectors[3 * index], vectors[3 * index + 1], vectors[3 * index + 2]) =
                        segment.vectors(of: source, UnsafeMutableRawBufferPointer(rebasing: room))
                }
                return body(vectors)
            }
        }
    }
}

extension iovec {
    fileprivate init(start: UnsafeMutableRawPointer?, from offset: Int, count: Int) {
        self.init(iov_base: start.map { $0 + offset }, iov_len: count)
    }
}
