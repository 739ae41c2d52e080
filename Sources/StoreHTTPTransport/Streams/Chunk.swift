import StoreJSON
import StoreWire

/// Chunks of HTTP/1.1 messages (RFC 9112 §7.1). A chunk's size shows the client at which byte a
/// frame ends, so the client need not wait for more bytes. The last chunk shows that the stream
/// ended properly.
enum Chunk {
    /// The number of bytes of the longest head: the digits of a size, and a line end.
    static let headBytesMax = 2 * MemoryLayout<Int>.size + tailBytes
    /// The number of bytes of the line end behind the payload.
    static let tailBytes = 2

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]
    /// The chunk of size 0, which ends the message.
    private static let zeroChunk = Array("0\r\n\r\n".utf8)

    /// Returns one chunk of this payload, without a copy if the payload is large. Returns no bytes
    /// for an empty payload, because a chunk of size 0 would end the message.
    static func encode(_ payload: Bytes) -> Bytes {
        payload.count == 0 ? payload : join([], payload, lineEnd)
    }

    /// Returns the chunk of the last frame, followed by the end of the message.
    static func encodeLast(_ payload: Bytes) -> Bytes {
        payload.count == 0 ? Bytes(zeroChunk) : join([], payload, lineEnd + zeroChunk)
    }

    /// Returns the head of a response, and its first payload as a chunk.
    static func encodeFirst(_ head: Bytes, _ payload: Bytes) -> Bytes {
        payload.count == 0 ? head : join([head], payload, lineEnd)
    }

    /// Returns the number of bytes of a chunk's head.
    static func headBytes(of payloadBytes: Int) -> Int {
        let bits = max(1, payloadBytes.bitWidth - payloadBytes.leadingZeroBitCount)
        return (bits + 3) / 4 + lineEnd.count
    }

    /// Writes the head of a chunk: its size in hexadecimal digits, and a line end.
    static func writeHead(of payloadBytes: Int, to buffer: UnsafeMutableRawBufferPointer) {
        let digits = headBytes(of: payloadBytes) - tailBytes
        var rest = payloadBytes
        for place in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        }
        buffer[digits] = 0x0D
        buffer[digits + 1] = 0x0A
    }

    private static func join(_ before: [Bytes], _ payload: Bytes, _ tail: [UInt8]) -> Bytes {
        let headBytes = headBytes(of: payload.count)
        guard payload.count < SSEFrame.sharedBytesMin else {
            let head = Bytes(count: headBytes) { writeHead(of: payload.count, to: $0) }
            let pieces = before + [head] + payload.pieces + [Bytes(tail)]
            return Bytes(joining: pieces, shared: payload.count - payload.unsharedCount)
        }
        let beforeBytes = before.reduce(0) { $0 + $1.count }
        return Bytes(count: beforeBytes + headBytes + payload.count + tail.count) { buffer in
            var rest = buffer[...]
            for bytes in before { bytes.withUnsafeBytes { rest.write($0) } }
            writeHead(of: payload.count, to: UnsafeMutableRawBufferPointer(rebasing: rest))
            rest = rest.dropFirst(headBytes)
            payload.withUnsafeBytes { rest.write($0) }
            tail.withUnsafeBytes { rest.write($0) }
        }
    }
}
