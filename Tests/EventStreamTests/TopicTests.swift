import EventStream
import Testing
import Wire

@Suite struct TopicTests {
    private let one = Bytes(utf8: "one")
    private let two = Bytes(utf8: "two")

    @Test func `a stream begins with the newest frame`() {
        var topic = Topic()
        #expect(topic.opening(for: .fresh).isEmpty)
        _ = topic.publish(one, version: 0)
        _ = topic.publish(two, version: 1)
        #expect(topic.opening(for: .fresh) == [two])
    }

    @Test func `a reader that has the newest version gets nothing before the next`() {
        var topic = Topic()
        _ = topic.publish(one, version: 4)
        #expect(topic.opening(for: .after(version: 4)).isEmpty)
        #expect(topic.opening(for: .after(version: 3)) == [one])
    }

    @Test func `a reader that can't go on hears why, and then the state`() {
        var topic = Topic()
        _ = topic.publish(one, version: 4)
        #expect(topic.opening(for: .resync(two)) == [two, one])
    }

    @Test func `a topic never goes backwards`() {
        var topic = Topic()
        _ = topic.publish(one, version: 4)
        let same = topic.publish(two, version: 4)
        let older = topic.publish(two, version: 3)
        #expect(!same && !older)
        #expect(topic.newest == one)
    }
}

@Suite struct InboxTests {
    @Test func `keeps the order of frames and of those who join`() {
        var inbox = Inbox<String>()
        _ = inbox.publish(.state, version: 1, .frame(Bytes(utf8: "a")))
        inbox.join("reader")
        _ = inbox.publish(.state, version: 2, .frame(Bytes(utf8: "b")))
        let taken = Inbox(taking: &inbox)
        #expect(inbox.isEmpty)
        let order = taken.events.map { event in
            switch event {
            case .publish(_, let version, _, _): "\(version)"
            case .join(let reader): reader
            }
        }
        #expect(order == ["1", "reader", "2"])
    }

    @Test func `at its bound the newest frame of a topic takes the place of the older ones`() {
        var inbox = Inbox<String>()
        let other = TopicID("other")
        _ = inbox.publish(other, version: 1, .frame(Bytes(utf8: "x")))
        inbox.join("reader")
        var skipped = 0
        for version in 1...UInt64(Inbox<String>.framesMax) {
            skipped += inbox.publish(.state, version: version, .frame(Bytes(utf8: "y")))
        }
        #expect(skipped == Inbox<String>.framesMax - 1)
        #expect(inbox.frames == 2)
        #expect(inbox.events.count == 3)
        #expect(inbox.keepsUp)
    }

    @Test func `it says in time that it does not keep up`() {
        var inbox = Inbox<String>()
        for version in 1...UInt64(Inbox<String>.framesMax / 2) {
            #expect(inbox.keepsUp)
            _ = inbox.publish(.state, version: version, .frame(Bytes(utf8: "y")))
        }
        #expect(!inbox.keepsUp)
    }
}
