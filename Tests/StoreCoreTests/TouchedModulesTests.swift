import StoreCore
import Testing

@Suite struct TouchedModulesTests {
    @Test func `what has changed is listed once, in order`() {
        let touched = TouchedModules()
        for touch in [Touch(2, SliceKey(instance: "b")), Touch(0), Touch(2), Touch(0)] {
            var touches = Touches()
            touches.insert(touch)
            touched.insert(touches)
        }
        #expect(touched.take() == [0, 2])
        #expect(touched.take().isEmpty)
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
