import StoreCore
import StoreTesting
import Testing

@Suite struct ExhaustivityTests {
    private let failures = Failures()
    private let clock = ManualClock()

    private func store(_ exhaustivity: Exhaustivity) -> TestStore<AppState, AppState> {
        let store = TestStore(
            AppState(),
            dependencies: .controlled(by: clock),
            timeout: .milliseconds(50),
            reporter: failures.reporter
        )
        store.exhaustivity = exhaustivity
        return store
    }

    @Test func `unstated changes are left out, and stated changes are compared`() async {
        do {
            let store = store(.off)
            await store.send(Tally.Action.stepChanged(to: 3))
            await store.send(Tally.Action.increased) { $0.tally.count = 3 }
            await store.send(Tally.Action.increased) { $0.tally.count = 5 }
            await store.send(Search.Action.typed("uni"))
            await clock.run()
            await store.receive(Page.start(.init(title: "unicorn"))) { $0.page?.likes = 0 }
            await store.send(Search.Action.typed("u"))
        }
        #expect(
            failures.take() == [
                """
                The state after Tally.Action.increased is not as stated.

                  /tally
                −   "count": 5
                +   "count": 6

                −: stated, +: is
                """
            ]
        )
        #expect(failures.takeNoted() == [])
    }

    @Test func `skipped changes are shown on request`() async {
        let store = store(.off(showSkipped: true))
        await store.send(Tally.Action.increased)
        await store.send(Search.Action.lotteryPlayed)
        await store.finish()
        #expect(failures.take() == [])
        let noted = failures.takeNoted()
        try? #require(noted.count == 2)
        #expect(
            noted.first == """
                Tally.Action.increased changed the state, which the test skips.

                  /tally
                −   "count": 0
                +   "count": 1
                """
        )
        #expect(
            noted.last?.hasPrefix("Before the test finished, events came that the test skips")
                == true
        )
    }

    @Test func `a dependency without a value is a failure without exhaustivity, too`() async {
        let store = TestStore(AppState(), reporter: failures.reporter)
        store.exhaustivity = .off
        await store.send(Search.Action.lotteryPlayed)
        await store.finish()
        #expect(
            failures.take() == [
                "the effect 'search/1.1', after Search.Action.lotteryPlayed, threw: the dependency "
                    + "RandomKey was used but not prepared; "
                    + "set it: dependencies.set(RandomKey.self, to: …)"
            ]
        )
    }
}
