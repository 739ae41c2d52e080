import StoreTexts
import StoreWire
import Testing

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
        #expect(topics[0].inMode(.patch) == topics[1])
    }

    @Test func `names that only look alike are different topics`() {
        let (one, other) = (TopicID(.part("/\u{E9}")), TopicID(.part("/e\u{301}")))
        #expect(one != other && Set([one, other]).count == 2)
    }
}
