/// A strict decoder for the chunks of a message's body (RFC 9112 §7.1).
struct ChunkDecoder {
    private(set) var chunks: [[UInt8]] = []
    /// True after the chunk of size 0.
    private(set) var isWhole = false

    /// Returns `nil` if the bytes are no whole chunks, or continue after the last chunk.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !isWhole, let lineEnd = rest.firstIndex(of: 0x0D) else { return nil }
            let size = String(decoding: rest[..<lineEnd], as: UTF8.self)
            guard let count = Int(size, radix: 16), size == String(count, radix: 16) else {
                return nil
            }
            rest = rest[lineEnd...].dropFirst(2)
            guard rest.count >= count + 2 else { return nil }
            isWhole = count == 0
            if !isWhole { chunks.append(Array(rest.prefix(count))) }
            rest = rest.dropFirst(count)
            guard rest.starts(with: [0x0D, 0x0A]) else { return nil }
            rest = rest.dropFirst(2)
        }
    }

    var payload: String { String(decoding: chunks.joined(), as: UTF8.self) }
}
