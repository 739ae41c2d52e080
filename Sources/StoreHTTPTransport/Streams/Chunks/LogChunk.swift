/// A chunk of records on its way to a reader of the log: the size in its head, and how much of it
/// is sent.
///
/// Once its head is begun, no other bytes may be sent before its tail is.
struct LogChunk: Equatable {
    /// The size in its head.
    let payloadBytes: Int
    /// How much of head, payload and tail together is sent.
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

    /// The same chunk when so many more bytes are sent; `nil` when that is all of it.
    func sending(_ count: Int) -> LogChunk? {
        var chunk = self
        chunk.sentBytes += count
        return chunk.sentBytes < bytes ? chunk : nil
    }
}
