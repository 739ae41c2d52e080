import StoreCore
import Testing

@Suite struct TouchedModulesTests {
    @Test func `what has changed is listed by module and instance`() {
        let touched = TouchedModules()
        touched.insert(2, "b")
        touched.insert(0)
        touched.insert(2, "a")
        touched.insert(2, "b")
        touched.insert(0, "ignored")
        let taken = touched.take()
        #expect(taken.map(\.module) == [0, 2])
        #expect(taken[0].instances == nil)
        #expect(taken[1].instances == [ExactText("a"), ExactText("b")])
        #expect(touched.take().isEmpty)
        touched.insert(2, "\u{e9}")
        touched.insert(2, "e\u{301}")
        #expect(touched.take()[0].instances?.count == 2)
    }
}
