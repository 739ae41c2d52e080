/// A chunk of records on its way to a reader of the log: its size, and the number of bytes sent.
///
/// From the first byte of its head to the last of its tail, no other bytes may be sent.
struct LogChunk: Equatable {
    /// The size in the chunk's head.
    let payloadBytes: Int
    /// The number of bytes sent, of head, payload and tail together.
    private(set) var sentBytes = 0

    init(payloadBytes: Int) {
        self.payloadBytes = payloadBytes
    }

    var headBytes: Int { Chunk.headBytes(of: payloadBytes) }
    var bytes: Int { headBytes + payloadBytes + Chunk.tailBytes }

    var sentOfHead: Int { min(sentBytes, headBytes) }
    var sentOfPayload: Int { min(max(sentBytes - headBytes, 0), payloadBytes) }
    var sentOfTail: Int { max(sentBytes - headBytes - payloadBytes, 0) }
    var unsentPayload: Int { payloadBytes - sentOfPayload }

    /// Returns the chunk after `count` more bytes are sent; `nil` if it is complete.
    func sending(_ count: Int) -> LogChunk? {
        var chunk = self
        chunk.sentBytes += count
        return chunk.sentBytes < bytes ? chunk : nil
    }
}
