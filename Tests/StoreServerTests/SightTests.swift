import StoreCore
import StoreJSON
import StoreTexts
import StoreWire
import Synchronization
import Testing

@testable import StorePublishing

/// The version that a role sees: it has only the members of the role's sight.
@Suite struct SightTests {
    private let layout = SliceLayout(["todos", "safe", "motto"])

    private func snapshot(
        _ version: UInt64,
        _ slices: [(String?, UInt64)],
        _ layout: SliceLayout? = nil
    ) -> Snapshot {
        Snapshot(
            tag: Tag(epoch: Epoch(rawValue: 7), version: version),
            slices: slices.map { text, version in
                PublishedSlice(document: text.map { Bytes(utf8: $0) }, version: version)
            },
            layout: layout ?? self.layout
        )
    }

    private func viewer(_ names: [String], session: String? = nil) -> Viewer {
        Viewer(session: session.map { ExactText($0) }, sight: Sight(of: names))
    }

    private func text(_ bytes: Bytes?) -> String? {
        bytes.map { String(decoding: $0.array, as: UTF8.self) }
    }

    private func pointer(_ tokens: String...) -> JSONPointer { JSONPointer(tokens: tokens) }

    @Test(
        arguments: [
            ([], "{}"), (["todos"], #"{"todos":[1]}"#), (["safe"], #"{"safe":"secret"}"#),
            (["motto"], #"{"motto":null}"#), (["motto", "todos"], #"{"todos":[1],"motto":null}"#),
            (["todos", "safe", "motto"], #"{"todos":[1],"safe":"secret","motto":null}"#),
            (["nowhere"], "{}"),
        ] as [([String], String)]
    )
    func `members outside the sight are absent`(names: [String], state: String) {
        let whole = snapshot(9, [("[1]", 3), (#""secret""#, 9), (nil, 0)])
        let seen = whole.visible(to: viewer(names))
        #expect(text(seen.state) == state)
        #expect(seen.isNarrowed && !whole.isNarrowed && seen.tag == whole.tag)
        for name in ["todos", "safe", "motto", "nowhere"] {
            let part = ParsedDocuments().part(at: pointer(name), in: seen)
            #expect((part != nil) == (names.contains(name) && name != "nowhere"), "\(name)")
        }
        #expect(
            ParsedDocuments().part(at: pointer("todos", "0"), in: seen) == nil
                || names.contains("todos")
        )
        // The bytes of a large state are joined in another way.
        let large = #"""# + String(repeating: "x", count: 200_000) + #"""#
        let long = snapshot(9, [("[1]", 3), (large, 9), (nil, 0)]).visible(to: viewer(names))
        #expect(text(long.state) == state.replacing(#""secret""#, with: large))
    }

    @Test func `a sight changes only with its visible members`() {
        let whole = snapshot(9, [("[1]", 3), (#""secret""#, 9), ("2", 5)])
        #expect(whole.lastChangeVersion == 9)
        #expect(whole.visible(to: viewer(["todos"])).lastChangeVersion == 3)
        #expect(whole.visible(to: viewer(["todos", "motto"])).lastChangeVersion == 5)
        #expect(whole.visible(to: viewer(["safe"])).lastChangeVersion == 9)
        #expect(whole.visible(to: viewer([])).lastChangeVersion == 0)
    }

    @Test func `a narrowed version is kept for the last viewer, and for no other`() {
        let whole = snapshot(9, [("[1]", 3), (#""secret""#, 9), ("2", 5)])
        let first = whole.visible(to: viewer(["todos", "motto"]))
        #expect(whole.visible(to: viewer(["motto", "todos"])) === first)
        #expect(text(whole.visible(to: viewer(["motto"])).state) == #"{"motto":2}"#)
        #expect(whole.visible(to: .unrestricted) === whole)
        // Nothing here belongs to sessions, but a client with a sight sees no more because of a
        // session.
        let own = whole.visible(to: viewer(["motto"], session: "s"))
        #expect(text(own.state) == #"{"motto":2}"#)
        #expect(whole.visible(to: Viewer(session: ExactText("s"))) === whole)
    }

    @Test func `two versions with the same visible members are narrowed once`() {
        let old = snapshot(8, [("[1]", 3), (#""a""#, 8), ("2", 5)]).visible(to: viewer(["todos"]))
        let new = snapshot(9, [("[1]", 3), (#""b""#, 9), ("2", 5)]).visible(to: viewer(["todos"]))
        #expect(text(old.state) == text(new.state))
        #expect(old.lastChangeVersion == new.lastChangeVersion)
        #expect(new.layout?.index(of: "safe") == nil && new.layout?.index(of: "todos") == 0)
        #expect(new.moduleNames == ["todos", "safe", "motto"])
    }

    @Test func `a state in one piece has no members to see`() {
        let whole = Snapshot(
            tag: Tag(epoch: Epoch(rawValue: 7), version: 1),
            state: Bytes(utf8: #"{"safe":1}"#)
        )
        let seen = whole.visible(to: viewer(["safe"]))
        #expect(text(seen.state) == "{}")
        #expect(ParsedDocuments().part(at: pointer("safe"), in: seen) == nil)
    }

    @Test func `sights with the same members are equal, and a sight covers its members`() {
        let both = Sight(of: ["a", "b"])
        #expect(
            both == Sight(of: ["b", "a", "b"]) && both.hashValue == Sight(of: ["b", "a"]).hashValue
        )
        #expect(Sight(of: ["a"]) != Sight(of: ["b"]) && Sight(of: ["ab"]) != both)
        #expect(both.covers(Sight(of: ["a"])) && both.covers(both) && both.covers(Sight(of: [])))
        #expect(!both.covers(Sight(of: ["a", "c"])) && !both.covers(nil))
        // Names are compared by their bytes.
        #expect(!Sight(of: ["\u{e9}"]).sees(module: "e\u{301}"))
        let some = Sight(among: ["a", "b", "c"]) { $0 != "b" }
        #expect([-1, 0, 1, 2, 3].map(some.seesMemberAtIndex) == [false, true, false, true, false])
        #expect(some == Sight(of: ["c", "a"]))
    }

    @Test func `a pointer to a hidden part is watched as a pointer to nothing`() {
        let (seeing, blind) = (viewer(["todos", "safe"]), viewer(["todos"]))
        let hidden = WatchedPart(at: pointer("safe", "0"), in: layout, for: blind)
        #expect(hidden.container == .nowhere)
        #expect(
            hidden.container
                == WatchedPart(at: pointer("none", "0"), in: layout, for: blind).container
        )
        let seen = WatchedPart(at: pointer("safe", "0"), in: layout, for: seeing)
        #expect(seen.container == .module(1) && seen.topic != hidden.topic)
        #expect(seen == WatchedPart(at: pointer("safe", "0"), in: layout, for: .unrestricted))
        #expect(WatchedPart(at: pointer("safe"), in: nil, for: blind).container == .nowhere)
        let whole = snapshot(9, [("[1]", 3), ("[5]", 9), ("2", 5)])
        #expect(hidden.container.slice(in: whole) == nil)
        #expect(
            !hidden.container.differs(whole, from: snapshot(8, [("[1]", 3), ("[4]", 8), ("2", 5)]))
        )
    }

    @Test func `a record is visible if its module and its session are`() {
        let (ada, bob) = (ExactText("ada"), ExactText("bob"))
        let sight = Sight(of: ["todos"])
        let cases: [(RecordOwner, Viewer, Bool)] = [
            (RecordOwner(module: "todos"), Viewer(session: nil, sight: sight), true),
            (RecordOwner(module: "safe"), Viewer(session: nil, sight: sight), false),
            (RecordOwner(), Viewer(session: nil, sight: sight), false),
            (RecordOwner(), .unrestricted, true),
            (RecordOwner(owner: ada, module: "todos"), Viewer(session: bob, sight: sight), false),
            (RecordOwner(owner: ada, module: "todos"), Viewer(session: ada, sight: sight), true),
            (RecordOwner(owner: ada, module: "safe"), Viewer(session: ada, sight: sight), false),
            (RecordOwner(owner: ada, module: "safe"), Viewer(session: ada), true),
            (RecordOwner(owner: ada), Viewer(session: bob), false),
            (RecordOwner(owner: ada, module: "safe"), .unrestricted, true),
        ]
        for (owner, viewer, isVisible) in cases {
            #expect(owner.isVisible(to: viewer) == isVisible, "\(owner) \(viewer)")
        }
    }

    @Test func `viewers are found by their sessions, and viewers without one always`() {
        let reading = Mutex(true)
        let watching = WatchingViewers { _ in reading.withLock { $0 } }
        #expect(watching.viewers(of: nil).isEmpty && watching.viewers(of: []).isEmpty)
        let (role, ada) = (viewer(["todos"]), viewer(["todos"], session: "ada"))
        let bob = Viewer(session: ExactText("bob"))
        for viewer in [role, ada, bob, viewer(["todos"])] { watching.insert(viewer) }
        #expect(
            Set(watching.viewers(of: nil)) == [role, ada, bob]
                && watching.viewers(of: nil).count == 3
        )
        #expect(Set(watching.viewers(of: [])) == [role])
        #expect(Set(watching.viewers(of: [ExactText("ada")])) == [role, ada])
        #expect(Set(watching.viewers(of: [ExactText("bob"), ExactText("eve")])) == [role, bob])
        // Clients that no longer read make room.
        reading.withLock { $0 = false }
        for number in 0..<1_000 { watching.insert(viewer(["m\(number)"])) }
        #expect(watching.viewers(of: nil).count < 1_000)
    }
}

extension Sight {
    /// The sight of these members and no others.
    fileprivate convenience init(of names: [String]) { self.init(among: names) { _ in true } }
}
