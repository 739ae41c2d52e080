import StoreTesting
import Testing

@testable import Counter

@Test func `it counts up and down`() async {
    let store = TestStore(Counter(), Counter.State())
    await store.send(.increased) { $0.count = 1 }
    await store.send(.decreased) { $0.count = 0 }
    await store.send(.decreased) { $0.count = -1 }
    await store.finish()
}
