import StoreCore
import Testing

@Suite struct TouchedModulesTests {
    @Test func `each changed module is listed once, in order`() {
        let touched = EditedModules()
        for touch in [
            SliceEdit(2, SliceKey(instance: "b")), SliceEdit(0), SliceEdit(2), SliceEdit(0),
        ] {
            var edits = SliceEdits()
            edits.insert(touch)
            touched.insert(Change(isChange: true, edits: edits), from: nil)
        }
        #expect(touched.take() == [0, 2])
        #expect(touched.take().isEmpty)
    }

    @Test func `an action of a session is visible to it and to sessions it changed`() {
        let touched = EditedModules(hasSessions: true)
        touched.insert(Change(isChange: false, isOfSession: true), from: "ada")
        touched.insert(Change(isChange: false, isOfSession: true), from: nil)
        #expect(touched.takeReaders() == .sessions([ExactText("ada"), ExactText("shared")]))
        #expect(touched.takeReaders() == .sessions([]))
        var edits = SliceEdits()
        edits.insert(SliceEdit(1, SliceKey(session: "bob")))
        touched.insert(Change(isChange: true, edits: edits, isOfSession: true), from: "ada")
        #expect(touched.takeReaders() == .sessions([ExactText("ada"), ExactText("bob")]))
        touched.insert(Change(isChange: false), from: "ada")
        #expect(touched.takeReaders() == .everybody)
    }

    @Test func `slices are distinguished by the bytes of their names`() {
        let keys: Set = [
            SliceKey(), SliceKey(session: "a"), SliceKey(instance: "a"),
            SliceKey(session: "caf\u{E9}"), SliceKey(session: "cafe\u{301}"),
            SliceKey(session: "a", instance: "a"),
        ]
        #expect(keys.count == 6)
    }
}
