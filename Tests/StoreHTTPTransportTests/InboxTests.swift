import StoreJSON
import StoreTexts
import StoreWire
import Testing

@testable import StoreHTTPTransport

@Suite struct InboxTests {
    private func version(_ number: UInt64, _ text: String = "y") -> TopicVersion {
        TopicVersion(number, frame: Bytes(utf8: text))
    }

    private func reader(bringing first: TopicVersion? = nil) -> JoiningReader {
        JoiningReader(descriptor: -1, beginning: .test(first: first), onEnd: nil)
    }

    /// Returns the versions of an inbox in order, and `join` for each reader, with the version
    /// that it brings.
    private func order(of inbox: Inbox) -> [String] {
        inbox.events.map { event in
            switch event {
            case .publish(let version, _, _): "\(version.number)"
            case .join(let reader):
                "join" + (reader.beginning.firstVersion.map { " \($0.number)" } ?? "")
            case .command: "command"
            }
        }
    }

    private func receives(_ event: Inbox.Event?, _ name: String) -> Bool {
        guard case .publish(_, _, let filter)? = event else { return false }
        return filter?(name) ?? true
    }

    @Test func `an inbox keeps the order of versions and of readers that join`() {
        var inbox = Inbox()
        _ = inbox.addVersion(version(1), to: .state)
        inbox.addReader(reader())
        _ = inbox.addVersion(version(2), to: .state)
        let taken = exchange(&inbox, with: Inbox())
        #expect(inbox.events.isEmpty)
        #expect(order(of: taken) == ["1", "join", "2"])
    }

    @Test func `one of many readers that come at once brings their first frame`() {
        var inbox = Inbox()
        for number in [1, 1, 1, 2, 2] as [UInt64] {
            inbox.addReader(reader(bringing: version(number)))
        }
        #expect(order(of: inbox) == ["join 1", "join", "join", "join 2", "join"])
    }

    @Test func `at its bound the newest version of a topic takes the place of the older ones`() {
        var inbox = Inbox()
        _ = inbox.addVersion(version(1), to: TopicID(.part("/other")))
        inbox.addReader(reader())
        var skipped = 0
        for number in 1...UInt64(Inbox.versionsMax) {
            skipped += inbox.addVersion(version(number), to: .state)
        }
        #expect(skipped == Inbox.versionsMax - 1)
        #expect(order(of: inbox) == ["1", "join", "\(Inbox.versionsMax)"])
        #expect(inbox.isLessThanHalfFull)
    }

    @Test func `an inbox does not keep up from half its bound on`() {
        var inbox = Inbox()
        for number in 1...UInt64(Inbox.versionsMax / 2) {
            #expect(inbox.isLessThanHalfFull)
            _ = inbox.addVersion(version(number), to: .state)
        }
        #expect(!inbox.isLessThanHalfFull)
    }

    @Test func `a version that takes the place of others goes to their readers, too`() {
        var inbox = Inbox()
        for number in 1...UInt64(Inbox.versionsMax) {
            _ = inbox.addVersion(version(number), to: .state) { $0 == "ada" }
        }
        #expect(inbox.events.allSatisfy { receives($0, "ada") && !receives($0, "bob") })
        #expect(inbox.addVersion(version(9_999), to: .state) { $0 == "bob" } > 0)
        #expect(inbox.events.count == 1)
        #expect(receives(inbox.events.first, "ada") && receives(inbox.events.first, "bob"))
    }
}
