import StoreTesting
import Testing

@testable import Guestbook

@Test func `a guest signs, and a guest without a name is refused`() async {
    let store = TestStore(Guestbook(), Guestbook.State())
    await store.send(.signed(name: "Ada")) { $0.entries = ["Ada"] }
    await store.send(.signed(name: ""), refused: "A guest has a name.")
    await store.finish()
}
