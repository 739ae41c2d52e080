import StoreJSON
import StoreWire
import Testing

@Suite struct BytesTests {
    private func bytes(_ text: String) -> Bytes { Bytes(utf8: text) }

    private func text(_ bytes: Bytes) -> String { String(decoding: bytes.array, as: UTF8.self) }

    @Test func `pieces are a run of bytes, and copied only if necessary`() {
        let inner = Bytes(joining: [bytes("b"), bytes(""), bytes("cd")])
        let whole = Bytes(joining: [bytes("a"), inner, bytes("e")])
        #expect(whole.count == 5)
        #expect(whole.pieces.map { text($0) } == ["a", "b", "", "cd", "e"])
        #expect(whole.isInPieces)
        #expect(text(whole) == "abcde")
        #expect(!whole.isInPieces)
        #expect(inner.isInPieces, "inner pieces are not joined for the whole")
        #expect(whole == bytes("abcde"))
        #expect(whole != bytes("abcdf"))
    }

    @Test func `from each byte on, the pieces have the rest`() {
        let whole = Bytes(joining: [bytes("ab"), bytes(""), bytes("cde"), bytes("f")])
        for offset in 0..<whole.count {
            let (pieces, skipped) = whole.pieces(from: offset, max: 10)
            let rest = pieces.map { text($0) }.joined().dropFirst(skipped)
            #expect(rest == "abcdef".dropFirst(offset))
        }
        #expect(whole.pieces(from: 3, max: 1).pieces.map { text($0) } == ["cde"])
    }

    @Test func `an event around large data is the event that small data would have`() {
        for size in [10, SSEFrame.sharedBytesMin, 3 * SSEFrame.sharedBytesMin] {
            let data = String(repeating: "x", count: size)
            let shared = SSEFrame.encode(id: "7", data: Bytes(joining: [bytes(data), bytes("y")]))
            #expect(text(shared) == text(SSEFrame.encode(id: "7", data: data + "y")))
            #expect(shared.isInPieces == false)
        }
        let lines = String(repeating: "line\n", count: SSEFrame.sharedBytesMin)
        let event = SSEFrame.encode(data: bytes(lines))
        #expect(text(event) == text(SSEFrame.encode(data: lines)))
        #expect(text(event).hasPrefix("data: line\ndata: line\n"))
    }

    @Test func `a frame counts its own bytes`() {
        let data = bytes(String(repeating: "x", count: SSEFrame.sharedBytesMin))
        let frame = SSEFrame.encode(data: Bytes(joining: [data], shared: data.count))
        #expect(frame.unsharedCount == "data: \n\n".utf8.count)
        #expect(SSEFrame.encode(data: data).unsharedCount > data.count)
    }
}
