import StoreCore
import StoreTesting
import Testing

@testable import Chat

@Test func `a room keeps what was said, and the newest lines of it`() {
    Given(Room(), Room.State(title: "Tea"))
        .when(.said(author: "Ada", text: "Hello")) {
            $0.lines = [.init(author: "Ada", text: "Hello")]
        }
    Given(Room(), Room.State(title: "Tea"))
        .when(.said(author: "Ada", text: ""), refused: "A line has text.", pointer: "/text")
    let line = Room.Line(author: "Ada", text: "old")
    let full = Room.State(title: "Tea", lines: Array(repeating: line, count: Room.linesMax))
    Given(Room(), full).when(.said(author: "Ada", text: "new")) { state in
        state.lines.removeFirst()
        state.lines.append(.init(author: "Ada", text: "new"))
    }
}

@Test func `a room without a title is refused`() async {
    let store = TestStore(AppState())
    await store.send(Room.start(.init(title: "")).to("tea"), refused: "A room has a title.")
    await store.finish()
}

@Test func `the screen has the open room beside the draft`() async {
    let store = TestStore(AppState())
    await store.send(Draft.Action.roomOpened(id: "tea")) { $0.draft["shared"].room = "tea" }
    #expect(ScreenViewModel(state: store.state) == nil)
    await store.send(Room.start(.init(title: "Tea")).to("tea")) {
        $0.rooms["tea"] = Room.State(title: "Tea")
    }
    await store.send(Room.Action.said(author: "Ada", text: "Hello").to("tea")) {
        $0.rooms["tea"]?.lines = [.init(author: "Ada", text: "Hello")]
    }
    await store.send(Draft.Action.typed(text: "Good mor")) { $0.draft["shared"].text = "Good mor" }
    let screen = ScreenViewModel(state: store.state)
    #expect(screen?.lines == ["Ada: Hello"])
    #expect(screen?.draft == "Good mor")
    await store.finish()
}
