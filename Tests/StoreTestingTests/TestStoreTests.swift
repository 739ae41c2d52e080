import StoreCore
import StoreTesting
import Testing

@Suite struct TestStoreTests {
    @Test func `stated changes of a root state are compared with the state`() async {
        let clock = ManualClock()
        let store = TestStore(AppState(), dependencies: .controlled(by: clock))
        await store.send(Tally.Action.stepChanged(to: 2)) { $0.tally.step = 2 }
        await store.send(Tally.Action.increased) { $0.tally.count = 2 }
        await store.send(Tally.Action.stepChanged(to: 0), refused: "A step of 0 leads nowhere.")
        await store.send(Search.Action.typed("uni")) { $0.search.text = "uni" }
        await clock.advance(by: .milliseconds(300))
        await store.receive(Search.Internal.found(titles: ["unicorn"])) {
            $0.search.titles = ["unicorn"]
        }
        await store.receive(Page.start(.init(title: "unicorn"))) {
            $0.page = Page.State(title: "unicorn")
        }
        await store.finish()
        #expect(store.state.page?.title == "unicorn")
    }

    @Test func `a module alone is tested with its own actions`() async {
        let clock = ManualClock()
        let store = TestStore(
            Search(),
            Search.State(text: "before"),
            dependencies: .controlled(by: clock)
        )
        await store.send(.typed("u")) { $0.text = "u" }
        await clock.advance(by: .milliseconds(299))
        await store.send(.typed("un")) { $0.text = "un" }
        await clock.advance(by: .milliseconds(299))
        await clock.advance(by: .milliseconds(1))
        await store.receive(.found(titles: ["uncorn"])) { $0.titles = ["uncorn"] }
        await store.send(.drawn(0, id: ""), refused: "0 is never drawn.")
        await store.finish()
    }

    @Test func `an action is received by its instance and by its type`() async {
        let store = TestStore(AppState())
        await store.send(Pages.start(.init(title: "A")).to("a")) {
            $0.pages["a"] = Page.State(title: "A")
        }
        await store.send(Pages.Action.likedLater.to("a"))
        await store.receive(Pages.Action.liked.to("a")) { $0.pages["a"]?.likes = 1 }
        await store.send(Pages.Action.likedLater.to("a"))
        await store.receive(AddressedAction.self, where: { $0.instance == "a" }) {
            $0.pages["a"]?.likes = 2
        }
    }

    @Test func `random numbers and identifiers are the same in every run`() async {
        let store = TestStore(Search(), Search.State(), dependencies: .controlled(seed: 7))
        await store.send(.lotteryPlayed)
        await store.receive(.drawn(87, id: CountedUUIDs.uuid(1))) {
            $0.token = "87 00000000-0000-0000-0000-000000000001"
        }
        await store.finish()
    }

    @Test func `a failure is an issue at the line of the wrong expectation`() async {
        await withKnownIssue {
            let store = TestStore(Tally(), Tally.State())
            await store.send(.increased) { $0.count = 2 }
        } matching: { issue in
            issue.sourceLocation?.fileName == "TestStoreTests.swift"
                && issue.comments.contains { $0.rawValue.contains(#"−   "count": 2"#) }
        }
    }

    @Test @MainActor func `a test on the main actor has a store, too`() async {
        let store = TestStore(Tally(), Tally.State())
        let step = 3
        await store.send(.stepChanged(to: step)) { $0.step = step }
        await store.finish()
    }
}
