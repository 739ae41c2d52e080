import StoreJSON
import StoreWire
import Testing

@testable import StoreHTTPTransport

@Suite struct ChunkTests {
    private func text(_ bytes: Bytes) -> String { String(decoding: bytes.array, as: UTF8.self) }

    @Test(arguments: [1, 9, 10, 15, 16, 255, 256, 4_095, 4_096, 16_383, 16_384, 65_536, 1 << 20])
    func `a chunk has its size, its payload and a line end`(count: Int) throws {
        let payload = Bytes([UInt8](repeating: 0x78, count: count))
        let chunk = Chunk.encode(payload).array
        let decoder = try #require(ChunkDecoder(chunk))
        #expect(decoder.chunks == [payload.array] && !decoder.isWhole)
        #expect(chunk.count == Chunk.headBytes(of: count) + count + Chunk.tailBytes)
        #expect(Chunk.headBytes(of: count) <= Chunk.headBytesMax)
    }

    @Test func `large payload is not copied, and pieces stay pieces`() {
        let large = Bytes([UInt8](repeating: 0x78, count: SSEFrame.sharedBytesMin))
        #expect(Chunk.encode(large).pieces.contains { $0 === large })
        let joined = Bytes(joining: [large, large])
        #expect(Chunk.encode(joined).pieces.filter { $0 === large }.count == 2)
    }

    @Test func `the last chunk ends the message, and no other does`() throws {
        #expect(text(Chunk.encodeLast(Bytes(utf8: "bye"))) == "3\r\nbye\r\n0\r\n\r\n")
        #expect(text(Chunk.encodeLast(Bytes([]))) == "0\r\n\r\n")
        #expect(Chunk.encode(Bytes([])).count == 0)
    }

    @Test func `the head of a response is in no chunk`() {
        let head = Bytes(utf8: "HTTP/1.1 200 OK\r\n\r\n")
        #expect(
            text(Chunk.encodeFirst(head, Bytes(utf8: "a"))) == "HTTP/1.1 200 OK\r\n\r\n1\r\na\r\n"
        )
        #expect(text(Chunk.encodeFirst(head, Bytes([]))) == "HTTP/1.1 200 OK\r\n\r\n")
    }
}
