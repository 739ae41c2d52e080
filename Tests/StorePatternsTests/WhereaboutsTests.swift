import StoreCore
import StorePatterns
import StoreTesting
import Testing

private struct Cursor: Codable, Equatable {
    var x = 0
    var text: String?
}

private struct Live: RootState {
    var whereabouts = Whereabouts<Cursor>.State()
    var sessions = Sessions.State()
    var schedule = Schedule.State()

    static let modules: Modules = [
        Whereabouts<Cursor>(silence: .seconds(10)).at(\.whereabouts), Sessions().at(\.sessions),
        Schedule().at(\.schedule),
    ]
}

/// The visits of sessions, by the reducer alone and in a store with a clock.
@Suite struct WhereaboutsTests {
    private let module = Whereabouts<Cursor>()

    private func reduced(
        _ actions: Whereabouts<Cursor>.Action...,
        from state: Whereabouts<Cursor>.State = .init(),
        session: String = "a",
        at time: Int64 = 0
    ) throws -> Whereabouts<Cursor>.State {
        var state = state
        let ada = ActionPrincipal(name: "ada", role: "writer")
        for action in actions {
            let context = ReducerContext(as: ada, session: session, time: time)
            _ = try module.reduce(&state, action, in: context) as Effect<Whereabouts<Cursor>.State>
        }
        return state
    }

    @Test func `a visit has its principal, its beginning and its newest detail`() throws {
        var state = try reduced(
            .entered(place: "p", detail: Cursor(x: 1)),
            .stayed(place: "p"),
            at: 5_000_000
        )
        state = try reduced(
            .entered(place: "p"),
            .moved(place: "p", detail: Cursor(x: 2)),
            from: state,
            at: 9_000_000
        )
        #expect(
            state["p"] == [
                "a": Whereabouts.Visit(principal: "ada", since: 5, detail: Cursor(x: 2))
            ]
        )
        #expect(try reduced(.left(place: "p"), .left(place: "p"), from: state) == .init())
    }

    @Test func `a session may be at several places, and departs from all of them`() throws {
        var state = try reduced(.entered(place: "q"), .entered(place: "p"))
        state = try reduced(.entered(place: "p"), from: state, session: "b")
        #expect(state.places == ["p", "q"] && state.places(of: "a") == ["q", "p"])
        #expect(state.sessionsCount == 2)
        let context = ReducerContext(session: "a")
        let _: Effect<Whereabouts<Cursor>.State> = module.reduce(
            &state,
            internal: .departed,
            in: context
        )
        #expect(state.places == ["p"] && state.sessionsCount == 1)
        #expect(state.visit(of: "b", at: "p") != nil && state.visit(of: "a", at: "p") == nil)
    }

    @Test func `bounds are refused with their numbers`() throws {
        typealias Bounds = Whereabouts<Cursor>
        let long = Cursor(text: String(repeating: "x", count: Bounds.detailBytesMax))
        #expect(throws: Refusal.self) { try reduced(.entered(place: "")) }
        let place = String(repeating: "p", count: Bounds.placeBytesMax)
        #expect(throws: Never.self) { try reduced(.entered(place: place)) }
        #expect(throws: Refusal.self) { try reduced(.entered(place: place + "p")) }
        #expect(throws: Refusal.self) { try reduced(.entered(place: "p", detail: long)) }
        #expect(throws: Refusal.self) {
            try reduced(.entered(place: "p"), .moved(place: "p", detail: long))
        }
        #expect(throws: Refusal.self) { try reduced(.moved(place: "p", detail: Cursor())) }
        #expect(throws: Refusal.self) { try reduced(.stayed(place: "p")) }
        #expect(throws: Refusal.self) { try reduced(.entered(place: "p"), session: "shared") }
        var state = Bounds.State()
        for number in 0..<Bounds.placesMax {
            state = try reduced(.entered(place: "\(number)"), from: state)
        }
        #expect(throws: Refusal.self) { try reduced(.entered(place: "p"), from: state) }
        for number in 1..<Bounds.sessionsMax {
            state = try reduced(.entered(place: "p"), from: state, session: "s\(number)")
        }
        #expect(throws: Refusal.self) {
            try reduced(.entered(place: "p"), from: state, session: "b")
        }
        #expect(throws: Never.self) {
            try reduced(.entered(place: "p"), from: state, session: "s1")
        }
    }

    @Test func `a visit ends by silence, and each action prolongs it`() async {
        let clock = ManualClock()
        let store = TestStore(Live(), dependencies: .controlled(by: clock))
        await store.send(Whereabouts<Cursor>.Action.entered(place: "p"), session: "a") {
            $0.whereabouts = .init(["p": ["a": .init(since: 0)]])
        }
        await clock.advance(by: .seconds(8))
        await store.send(Whereabouts<Cursor>.Action.stayed(place: "p"), session: "a")
        await clock.advance(by: .seconds(8))
        await clock.advance(by: .seconds(2))
        await store.receive(Whereabouts<Cursor>.Internal.fellSilent(session: "a", place: "p")) {
            $0.whereabouts = .init()
        }
        await store.finish()
    }
}
