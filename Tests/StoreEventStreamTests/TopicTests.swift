import StoreEventStream
import StoreJSON
import StoreTexts
import StoreWire
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

@Suite struct InboxTests {
    @Test func `an inbox keeps the order of frames and of readers that join`() {
        var inbox = Inbox<String>()
        _ = inbox.add(.state, version: 1, .frame(Bytes(utf8: "a")))
        inbox.join("reader")
        _ = inbox.add(.state, version: 2, .frame(Bytes(utf8: "b")))
        let taken = Inbox(taking: &inbox)
        #expect(inbox.isEmpty)
        let order = taken.events.map { event in
            switch event {
            case .publish(_, let version, _, _): "\(version)"
            case .join(let reader): reader
            case .command: "command"
            }
        }
        #expect(order == ["1", "reader", "2"])
    }

    @Test func `at its bound the newest frame of a topic takes the place of the older ones`() {
        var inbox = Inbox<String>()
        let other = TopicID(.part("/other"))
        _ = inbox.add(other, version: 1, .frame(Bytes(utf8: "x")))
        inbox.join("reader")
        var skipped = 0
        for version in 1...UInt64(Inbox<String>.framesMax) {
            skipped += inbox.add(.state, version: version, .frame(Bytes(utf8: "y")))
        }
        #expect(skipped == Inbox<String>.framesMax - 1)
        #expect(inbox.frames == 2)
        #expect(inbox.events.count == 3)
        #expect(inbox.keepsUp)
    }

    @Test func `an inbox does not keep up from half its bound on`() {
        var inbox = Inbox<String>()
        for version in 1...UInt64(Inbox<String>.framesMax / 2) {
            #expect(inbox.keepsUp)
            _ = inbox.add(.state, version: version, .frame(Bytes(utf8: "y")))
        }
        #expect(!inbox.keepsUp)
    }
}

@Suite struct InboxAudienceTests {
    private func receives(_ event: Inbox<String>.Event?, _ name: String) -> Bool {
        guard case .publish(_, _, _, let audience)? = event else { return false }
        return audience?(name) ?? true
    }

    @Test func `a frame that takes the place of others goes to their readers, too`() {
        var inbox = Inbox<String>()
        for version in 1...UInt64(Inbox<String>.framesMax) {
            _ = inbox.add(.state, version: version, .frame(Bytes(utf8: "y"))) { $0 == "ada" }
        }
        #expect(inbox.events.allSatisfy { receives($0, "ada") && !receives($0, "bob") })
        let frame = Bytes(utf8: "z")
        #expect(inbox.add(.state, version: 9_999, .frame(frame)) { $0 == "bob" } > 0)
        #expect(inbox.events.count == 1)
        #expect(receives(inbox.events.first, "ada") && receives(inbox.events.first, "bob"))
    }

    @Test func `a large frame waits for each of its audiences, and once for all readers`() {
        var inbox = Inbox<String>()
        let frame = Bytes(utf8: String(repeating: "y", count: SSEFrame.pieceBytesMin))
        for name in ["ada", "bob"] {
            _ = inbox.add(.state, version: 1, .frame(frame)) { $0 == name }
        }
        for _ in 0..<2 { _ = inbox.add(.state, version: 1, .frame(frame)) }
        #expect(inbox.events.count == 3)
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
