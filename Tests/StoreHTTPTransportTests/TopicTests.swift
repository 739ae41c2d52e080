import StoreJSON
import StoreWire
import Testing

@testable import StoreHTTPTransport

@Suite struct TopicTests {
    private let one = Bytes(utf8: "one")
    private let two = Bytes(utf8: "two")

    @Sendable private func bracketed(_ payload: Bytes) -> Bytes {
        Bytes(joining: [Bytes(utf8: "<"), payload, Bytes(utf8: ">")])
    }

    @Test func `a stream begins with the newest frame`() {
        var topic = Topic(framing: bracketed)
        #expect(topic.opening(for: .fresh).isEmpty)
        _ = topic.setNewest(one, version: 0)
        _ = topic.setNewest(two, version: 1)
        #expect(topic.opening(for: .fresh) == [bracketed(two)])
        #expect(topic.opening(for: .fresh).first === topic.newest, "it is framed once")
    }

    @Test func `a reader that has the newest version gets nothing before the next`() {
        var topic = Topic(framing: bracketed)
        _ = topic.setNewest(one, version: 4)
        #expect(topic.opening(for: .after(version: 4)).isEmpty)
        #expect(topic.opening(for: .after(version: 3)) == [bracketed(one)])
    }

    @Test func `a reader that can't go on gets the reason, and then the state`() {
        var topic = Topic(framing: bracketed)
        _ = topic.setNewest(one, version: 4)
        #expect(topic.opening(for: .resync(two)) == [bracketed(two), bracketed(one)])
    }

    @Test func `a topic never goes backwards`() {
        var topic = Topic(framing: bracketed)
        _ = topic.setNewest(one, version: 4)
        let same = topic.setNewest(two, version: 4)
        let older = topic.setNewest(two, version: 3)
        #expect(!same && !older)
        #expect(topic.newest == bracketed(one))
    }
}
