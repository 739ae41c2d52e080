package import Wire

/// Frames as chunks of an HTTP/1.1 message (RFC 9112 §7.1), so that a client sees where each ends
/// and need not wait for more, and that the stream ended well.
package enum Chunk {
    /// One chunk of these bytes; the last one ends the message too. A large frame is not copied.
    package static func of(_ frame: Bytes, isLast: Bool = false) -> Bytes {
        let head = Array(String(frame.count, radix: 16).utf8) + [0x0D, 0x0A]
        let tail: [UInt8] = isLast ? Array("\r\n0\r\n\r\n".utf8) : [0x0D, 0x0A]
        guard frame.count < SSEFrame.pieceBytesMin else {
            let pieces = [Bytes(head)] + frame.pieces + [Bytes(tail)]
            return Bytes(joining: pieces, shared: frame.count - frame.ownCount)
        }
        return Bytes(count: head.count + frame.count + tail.count) { buffer in
            buffer.copyBytes(from: head)
            frame.withUnsafeBytes { body in
                UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...]).copyMemory(
                    from: body
                )
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[(head.count + frame.count)...])
                .copyBytes(from: tail)
        }
    }
}
