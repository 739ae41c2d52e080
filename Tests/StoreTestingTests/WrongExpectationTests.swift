import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// Each mistake of a test, with the message of its failure.
@Suite struct WrongExpectationTests {
    private let failures = Failures()
    private let clock = ManualClock()

    private func tally(_ state: Tally.State = Tally.State()) -> TestStore<Tally.State, Tally> {
        TestStore(Tally(), state, reporter: failures.reporter)
    }

    private func search(
        _ dependencies: Dependencies? = nil
    ) -> TestStore<Search.State, Search> {
        TestStore(
            Search(),
            Search.State(),
            dependencies: dependencies ?? .controlled(by: clock),
            timeout: .milliseconds(50),
            reporter: failures.reporter
        )
    }

    @Test func `a wrong value is shown beside the right value, below its pointer`() async {
        let store = TestStore(AppState(), reporter: failures.reporter)
        await store.send(Tally.Action.increased) { $0.tally.count = 2 }
        #expect(
            failures.take() == [
                """
                The state after Tally.Action.increased is not as stated.

                  /tally
                −   "count": 2
                +   "count": 1

                −: stated, +: is
                """
            ]
        )
    }

    @Test func `a change that is not stated is shown`() async {
        let store = tally()
        await store.send(.increased)
        #expect(
            failures.take() == [
                """
                Tally.Action.increased changed the state, which is not stated.

                −   "count": 0
                +   "count": 1

                State it in a closure: send(…) { $0.… = … }
                """
            ]
        )
    }

    @Test func `a closure for an action without a change is a failure`() async {
        let store = tally()
        await store.send(.stepChanged(to: 1)) { $0.step = 1 }
        #expect(
            failures.take() == [
                """
                Tally.Action.stepChanged(to: 1) changed nothing, and the closure states no change.

                Leave the closure out.
                """
            ]
        )
    }

    @Test func `after a failure the test goes on from the real state`() async {
        let store = tally()
        await store.send(.increased) { $0.count = 7 }
        #expect(failures.take().count == 1)
        await store.send(.increased) { $0.count = 2 }
        #expect(failures.take() == [])
    }

    @Test func `an unstated refusal is a failure`() async {
        let store = tally()
        await store.send(.stepChanged(to: 0)) { $0.step = 0 }
        #expect(
            failures.take() == [
                """
                Tally.Action.stepChanged(to: 0) was refused: A step of 0 leads nowhere.

                If that is intended, state it: send(…, refused: "A step of 0 leads nowhere.")
                """
            ]
        )
        #expect(store.state.step == 1)
    }

    @Test func `a refusal for another reason is a failure, and so is a success`() async {
        let store = tally()
        await store.send(.stepChanged(to: 0), refused: "Too small.")
        await store.send(.stepChanged(to: 2), refused: "Too small.")
        #expect(
            failures.take() == [
                """
                Tally.Action.stepChanged(to: 0) was refused for another reason.

                −   "Too small."
                +   "A step of 0 leads nowhere."

                −: stated, +: is
                """,
                """
                Tally.Action.stepChanged(to: 2) was applied, and should have been refused: Too small.

                Let the reducer throw Refusal(reason: "Too small."), or state it without `refused`.
                """,
            ]
        )
        #expect(store.state.step == 2)
    }

    @Test func `a closure beside a stated refusal is a failure`() async {
        let store = tally()
        let reason = "A step of 0 leads nowhere."
        await store.send(.stepChanged(to: 0), refused: reason) { $0.step = 0 }
        #expect(
            failures.take() == [
                """
                Tally.Action.stepChanged(to: 0) has to be refused, and then changes nothing.

                Leave the closure out.
                """
            ]
        )
    }

    @Test func `a refusal with another pointer is a failure`() async {
        let store = tally()
        let reason = "A step of 0 leads nowhere."
        await store.send(.stepChanged(to: 0), refused: reason, pointer: "/to")
        Given(Tally(), Tally.State()).when(.stepChanged(to: 0), refused: reason, pointer: "/to")
        await store.send(.stepChanged(to: 0), refused: reason, pointer: "/by")
        #expect(
            failures.take() == [
                """
                Tally.Action.stepChanged(to: 0) was refused for another reason.

                −   "A step of 0 leads nowhere.", pointer: "/by"
                +   "A step of 0 leads nowhere.", pointer: "/to"

                −: stated, +: is
                """
            ]
        )
    }

    @Test func `an action other than the stated action is a failure`() async {
        let store = search()
        await store.send(.typed("u")) { $0.text = "u" }
        await clock.run()
        await store.receive(.found(titles: ["unicorn"])) { $0.titles = ["unicorn"] }
        #expect(
            failures.take().map(withoutPlaces) == [
                """
                Another event came than the stated event.

                −   Search.Internal.found(titles: ["unicorn"])
                +   Search.Internal.found(titles: ["ucorn"]), after Search.Action.typed("u") (Samples)

                −: stated, +: is
                """
            ]
        )
    }

    @Test func `a missing action is a failure, with or without a waiting effect`() async {
        let store = search()
        await store.send(.typed("u")) { $0.text = "u" }
        await store.receive(Search.Internal.self)
        await store.send(.closed) { $0.text = "" }
        await store.receive(.found(titles: []))
        #expect(
            failures.take() == [
                """
                an action of Search.Internal was expected; nothing came within 0.05 seconds.

                These effects may still dispatch it; advance their clock:

                  'search/search', after Search.Action.typed("u")
                """,
                """
                Search.Internal.found(titles: []) was expected; nothing came within 0.05 seconds.

                No effect runs that could dispatch it.
                """,
            ]
        )
    }

    @Test func `an action left over at the next send or the end is a failure`() async {
        let store = search(.controlled(seed: 1))
        await store.send(.lotteryPlayed)
        await store.send(.closed)
        await store.send(.lotteryPlayed)
        await store.finish()
        #expect(
            failures.take().map(withoutPlaces) == [
                """
                Before Search.Action.closed is sent, events came that are not stated:

                  Search.Internal.drawn(65, id: "00000000-0000-0000-0000-000000000001"), after \
                Search.Action.lotteryPlayed (Samples)

                State each: receive(…), or skipReceived().
                """,
                """
                Before the test finished, events came that are not stated:

                  Search.Internal.drawn(19, id: "00000000-0000-0000-0000-000000000002"), after \
                Search.Action.lotteryPlayed (Samples)

                State each: receive(…), or skipReceived().
                """,
            ]
        )
    }

    @Test func `an effect that did not end is a failure`() async {
        let store = search()
        await store.send(.typed("u")) { $0.text = "u" }
        await store.finish()
        #expect(
            failures.take() == [
                """
                Effects did not end; after 0.05 seconds these run:

                  'search/search', after Search.Action.typed("u")

                Advance their clock, dispatch an action that ends them, or cancelEffects().
                """
            ]
        )
    }

    @Test func `a store that was not finished is a failure`() async {
        do {
            let store = search()
            await store.send(.lotteryPlayed)
            await store.skipReceived()
            await store.send(.typed("u")) { $0.text = "u" }
        }
        #expect(
            failures.take() == [
                """
                Effects did not end; when the store went these run:

                  'search/search', after Search.Action.typed("u")

                Advance their clock, dispatch an action that ends them, or cancelEffects().
                """
            ]
        )
    }

    @Test func `a dependency without a value is a failure at its use`() async {
        let store = search(.unprepared)
        await store.send(.typed("u")) { $0.text = "u" }
        #expect(
            failures.take() == [
                "the effect 'search/search', after Search.Action.typed(\"u\"), threw: the dependency "
                    + "ClockKey was used but not prepared; "
                    + "set it: dependencies.set(ClockKey.self, to: …)"
            ]
        )
        await store.finish()
        #expect(failures.take() == [])
    }

    @Test func `an error of an effect is stated, by value or by type, or is a failure`() async {
        let never = Dependencies.controlled().setting(RandomKey.self, to: { 0 })
        let store = search(never)
        await store.send(.lotteryPlayed)
        await store.receive(failure: Refusal(reason: "0 is never drawn."))
        await store.send(.lotteryPlayed)
        await store.receive(failure: Refusal.self)
        #expect(failures.take() == [])
        await store.send(.lotteryPlayed)
        await store.receive(failure: CancellationError.self)
        #expect(
            failures.take() == [
                """
                Another event came than the stated event.

                −   a failure of CancellationError
                +   the effect 'search/3.3', after Search.Action.lotteryPlayed, threw: Refusal: 0 is \
                never drawn.

                −: stated, +: is
                """
            ]
        )
    }

    @Test func `an action of no module is a failure`() async {
        let store = tally()
        await store.send(Search.Action.closed)
        #expect(
            failures.take() == [
                """
                Search.Action.closed is no action of 'tally'.

                A module has its Action, its UI, its Internal and its dispatchables.
                """
            ]
        )
    }

    @Test func `an unknown use case or a wrong input is a failure`() async {
        let store = TestStore(
            InComments.AppState(),
            reporter: failures.reporter
        )
        await store.call("login", "logout")
        await store.call("login", "login", 7)
        #expect(
            failures.take() == [
                """
                There is no use case 'login/logout'.

                There are: login/login
                """,
                "The use case 'login/login' did not begin: "
                    + "The input is not of the type that login/login takes.",
            ]
        )
    }

    @Test func `a side effect without a value in time is a failure`() async throws {
        let store = TestStore(
            InComments.AppState(),
            dependencies: .controlled(by: clock),
            timeout: .milliseconds(50),
            reporter: failures.reporter
        )
        await #expect(throws: NothingRecorded.self) {
            try await store.value(of: InComments.Wait(seconds: 1))
        }
        #expect(
            failures.take() == [
                """
                InComments.Wait(seconds: 1) gave no value within 0.05 seconds.

                If it waits for a clock, send it, and advance the clock.
                """
            ]
        )
        await store.cancelEffects()
    }

    @Test func `modules that make no store are a failure`() async {
        struct Twice: RootState {
            var one = Tally.State()
            var two = Tally.State()
            static let modules: Modules = [Tally().at(\.one), Tally().at(\.two)]
        }
        _ = TestStore(Twice(), reporter: failures.reporter)
        #expect(
            failures.take() == [
                "The modules can't make a store: two modules are named 'tally'; give one of them "
                    + "another `static var name`."
            ]
        )
    }

    /// Returns the text without the places of calls, which move with the samples.
    private func withoutPlaces(_ text: String) -> String {
        text.replacing(/\(StoreTestingTests\/Samples.swift:\d+\)/, with: "(Samples)")
    }
}
