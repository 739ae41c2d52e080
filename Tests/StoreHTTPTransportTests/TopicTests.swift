import StoreJSON
import StoreWire
import Testing

@testable import StoreHTTPTransport

@Suite struct TopicTests {
    private let one = Bytes(utf8: "one")
    private let two = Bytes(utf8: "two")

    @Test func `a stream begins with the newest frame`() {
        var topic = Topic()
        #expect(topic.openingChunks(for: .fresh).isEmpty)
        _ = topic.setNewest(one, version: 0)
        _ = topic.setNewest(two, version: 1)
        #expect(topic.openingChunks(for: .fresh) == [Chunk.encode(two)])
        #expect(topic.openingChunks(for: .fresh).first === topic.newestChunk, "it is framed once")
    }

    @Test func `a reader that has the newest version gets nothing before the next`() {
        var topic = Topic()
        _ = topic.setNewest(one, version: 4)
        #expect(topic.openingChunks(for: .after(version: 4)).isEmpty)
        #expect(topic.openingChunks(for: .after(version: 3)) == [Chunk.encode(one)])
    }

    @Test func `a reader that can't go on gets the reason, and then the state`() {
        var topic = Topic()
        _ = topic.setNewest(one, version: 4)
        #expect(topic.openingChunks(for: .resync(two)) == [Chunk.encode(two), Chunk.encode(one)])
    }

    @Test func `a topic never goes backwards`() {
        var topic = Topic()
        _ = topic.setNewest(one, version: 4)
        let same = topic.setNewest(two, version: 4)
        let older = topic.setNewest(two, version: 3)
        #expect(!same && !older)
        #expect(topic.newestChunk == Chunk.encode(one))
    }
}
