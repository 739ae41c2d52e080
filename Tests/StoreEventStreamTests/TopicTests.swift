import StoreEventStream
import StoreJSON
import StoreTexts
import Testing

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

@Suite struct TopicIDTests {
    @Test func `subjects, modes and codings make topics, and operators read the subject`() {
        let topics = [
            TopicID(.state), TopicID(.state, .patch), TopicID(.part("/a")), TopicID(.slice("a")),
            TopicID(.changes("a")), TopicID(.instance("a", id: "b")),
            TopicID(.view("a", query: "?b=1")), TopicID(.actions),
        ]
        #expect(Set(topics).count == topics.count)
        #expect(
            topics.map(\.description) == [
                "state", "state?mode=patch", "state/a", "modules/a", "modules/a?old", "modules/a/b",
                "views/a?b=1", "actions",
            ]
        )
        #expect(topics[0].carrying(.patch) == topics[1])
    }

    @Test func `names that only look alike are different topics`() {
        let (one, other) = (TopicID(.part("/\u{E9}")), TopicID(.part("/e\u{301}")))
        #expect(one != other && Set([one, other]).count == 2)
    }
}
