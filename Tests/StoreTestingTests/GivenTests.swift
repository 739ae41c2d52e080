import StoreCore
import StoreTesting
import Testing

@Suite struct GivenTests {
    private let failures = Failures()

    @Test func `a module's action is tested in a line, without its effects`() {
        Given(Tally(), Tally.State(step: 2)).when(.increased) { $0.count = 2 }
        Given(Tally(), Tally.State()).when(
            .stepChanged(to: 0),
            refused: "A step of 0 leads nowhere."
        )
        Given(Tally(), Tally.State()).when(.stepChanged(to: 1))
        Given(Search(), Search.State()).when(.found(titles: ["A"])) { $0.titles = ["A"] }
        Given(Search(), Search.State()).when(.drawn(0, id: ""), refused: "0 is never drawn.")
    }

    @Test func `an action that needs the whole state is tested in it`() {
        Given(AppState()).when(Page.start(.init(title: "A"))) { $0.page = Page.State(title: "A") }
        Given(AppState()).when(
            Page.Action.liked,
            refused: "'page' is not started; dispatch page/start first."
        )
    }

    @Test func `each wrong expectation is reported`() {
        let given = Given(Tally(), Tally.State(), reporter: failures.reporter)
        given.when(.increased) { $0.count = 2 }
        given.when(.increased)
        given.when(.stepChanged(to: 0))
        given.when(.stepChanged(to: 0), refused: "No.")
        given.when(.stepChanged(to: 2), refused: "No.")
        given.when(Search.Action.closed)
        #expect(
            failures.take() == [
                """
                The state after Tally.Action.increased is not as stated.

                −   "count": 2
                +   "count": 1

                −: stated, +: is
                """,
                """
                Tally.Action.increased changed the state, which is not stated.

                −   "count": 0
                +   "count": 1

                State it in a closure: when(…) { $0.… = … }
                """,
                """
                Tally.Action.stepChanged(to: 0) was refused: A step of 0 leads nowhere.

                If that is intended, state it: when(…, refused: "A step of 0 leads nowhere.")
                """,
                """
                Tally.Action.stepChanged(to: 0) was refused for another reason.

                −   "No."
                +   "A step of 0 leads nowhere."

                −: stated, +: is
                """,
                """
                Tally.Action.stepChanged(to: 2) was applied, and should have been refused: No.

                Let the reducer throw Refusal(reason: "No."), or state it without `refused`.
                """,
                """
                Search.Action.closed is no action of 'tally'.

                A module has its Action, its UI, its Internal and its dispatchables.
                """,
            ]
        )
    }
}
