import StoreJSON
import StoreWire
import Testing

@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

@Suite struct PatchStateTests {
    private let layout = SliceLayout(["counter", "todos/items", "home"])
    private let epoch = Epoch(rawValue: 0x4f1c_09ab)

    private func snapshot(_ version: UInt64, _ slices: [Bytes?]) -> Snapshot {
        let published = slices.map { PublishedSlice(document: $0, version: version) }
        return Snapshot(tag: Tag(epoch: epoch, version: version), slices: published, layout: layout)
    }

    private func text(_ frame: Bytes?) -> String? {
        frame.map { String(decoding: $0.array, as: UTF8.self) }
    }

    private func part(_ text: String?, _ version: UInt64) -> PatchState {
        PatchState(text.map { Bytes(utf8: $0) }, at: Tag(epoch: epoch, version: version))
    }

    @Test func `a patch has the members of the slices that differ, and only these`() throws {
        let todos = Bytes(utf8: #"["a","b"]"#)
        let first = snapshot(1, [Bytes(utf8: #"{"n":1,"m":1}"#), todos, nil])
        let second = snapshot(2, [Bytes(utf8: #"{"n":2,"m":1}"#), todos, Bytes(utf8: "[1]")])
        let old = PatchState(first, after: nil)
        let new = PatchState(second, after: first)
        #expect(new.unsharedByteCount == 16, "slices that both versions share cost nothing")
        #expect(old.unsharedByteCount(beside: new) == 13)
        let frame = try #require(text(new.patchFrame(from: old, skipsVersions: false)))
        #expect(frame.contains("event: patch\nid: 4f1c09ab:2\n"))
        #expect(
            frame.contains(
                #"data: [{"op":"replace","path":"/counter/n","value":2},"#
                    + #"{"op":"replace","path":"/home","value":[1]}]"#
            )
        )
    }

    @Test func `a name with a slash is escaped in the pointer`() throws {
        let first = snapshot(1, [nil, Bytes(utf8: "[1]"), nil])
        let second = snapshot(2, [nil, Bytes(utf8: "[1,2]"), nil])
        let frame = PatchState(second, after: first)
            .patchFrame(from: PatchState(first, after: nil), skipsVersions: false)
        #expect(try #require(text(frame)).contains(#""path":"/todos~1items/1""#))
    }

    @Test func `the snapshot has the body of GET /state`() throws {
        let snapshot = snapshot(1, [Bytes(utf8: "1"), nil, Bytes(utf8: "{}")])
        let state = String(decoding: snapshot.state.array, as: UTF8.self)
        #expect(state == #"{"counter":1,"todos/items":null,"home":{}}"#)
        let frame = try #require(text(PatchState(snapshot, after: nil).snapshotFrame()))
        #expect(frame.contains("event: snapshot\nid: 4f1c09ab:1\ndata: \(state)\n"))
    }

    @Test func `over skipped versions, the smaller of patch and whole is sent`() throws {
        let (old, new) = (part(#"{"n":1}"#, 1), part(#"{"n":2}"#, 2))
        #expect(
            try #require(text(new.patchFrame(from: old, skipsVersions: false))).contains(
                "event: patch"
            )
        )
        #expect(new.patchFrame(from: old, skipsVersions: true) == nil)
    }

    @Test func `a part that is gone has no patch to or from it`() throws {
        let (gone, there) = (part(nil, 1), part(#"{"n":2}"#, 2))
        #expect(there.patchFrame(from: gone, skipsVersions: false) == nil)
        #expect(gone.patchFrame(from: there, skipsVersions: false) == nil)
        #expect(
            try #require(text(gone.snapshotFrame())).contains(
                "event: gone\nid: 4f1c09ab:1\ndata: null"
            )
        )
    }

    @Test func `a version that changed nothing is an empty patch`() throws {
        let (old, new) = (part(#"{"n":1}"#, 1), part(#"{"n":1}"#, 2))
        #expect(
            try #require(text(new.patchFrame(from: old, skipsVersions: false))).contains(
                "data: []\n"
            )
        )
    }
}
