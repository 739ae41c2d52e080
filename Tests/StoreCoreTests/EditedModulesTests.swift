import StoreCore
import Testing

@Suite struct EditedModulesTests {
    @Test func `each changed module is listed once, in order`() {
        let edited = EditedModules()
        for edit in [
            SliceEdit(2, SliceKey(instance: "b")), SliceEdit(0), SliceEdit(2), SliceEdit(0),
        ] {
            var edits = SliceEdits()
            edits.insert(edit)
            edited.insert(Change(changesState: true, edits: edits), from: nil)
        }
        #expect(edited.takeModuleIndices() == [0, 2])
        #expect(edited.takeModuleIndices().isEmpty)
    }

    @Test func `an action of a session is visible to it and to sessions it changed`() {
        let edited = EditedModules(hasOwnedSlices: true)
        edited.insert(Change(changesState: false, isVisibleToSenderOnly: true), from: "ada")
        edited.insert(Change(changesState: false, isVisibleToSenderOnly: true), from: nil)
        #expect(edited.takeReaders() == .owners([ExactText("ada"), ExactText("shared")]))
        #expect(edited.takeReaders() == .owners([]))
        var edits = SliceEdits()
        edits.insert(SliceEdit(1, SliceKey(owner: "bob")))
        edited.insert(
            Change(changesState: true, edits: edits, isVisibleToSenderOnly: true),
            from: "ada"
        )
        #expect(edited.takeReaders() == .owners([ExactText("ada"), ExactText("bob")]))
        edited.insert(Change(changesState: false), from: "ada")
        #expect(edited.takeReaders() == .everybody)
    }

    @Test func `slices are distinguished by the bytes of their names`() {
        let keys: Set = [
            SliceKey(), SliceKey(owner: "a"), SliceKey(instance: "a"),
            SliceKey(owner: "caf\u{E9}"), SliceKey(owner: "cafe\u{301}"),
            SliceKey(owner: "a", instance: "a"),
        ]
        #expect(keys.count == 6)
    }
}
