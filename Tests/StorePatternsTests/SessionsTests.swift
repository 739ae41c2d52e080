import StoreCore
import StorePatterns
import Testing

/// The views of sessions' routes.
@Suite struct SessionsTests {
    private func route(_ actions: Sessions.Internal..., of session: String = "a") -> [String]? {
        var state = Sessions.State()
        _ = Sessions().reduce(&state, internal: .began(session: "a"))
        for action in actions { _ = Sessions().reduce(&state, internal: action) }
        return state[session]?.route.map { "\($0.style) \($0.view)" }
    }

    private func push(_ view: String, to sessions: String...) -> Sessions.Internal {
        .presented(view: view, style: .push, sessions: sessions)
    }

    @Test func `clients without a session share one`() {
        #expect(Sessions.State()[Sessions.shared]?.route == [])
        #expect(route(.ended(session: Sessions.shared), of: Sessions.shared) == [])
    }

    @Test func `views are pushed and popped`() {
        #expect(route(push("x", to: "a"), push("y", to: "a")) == ["push x", "push y"])
        let pop = Sessions.Internal.dismissed(style: .push, sessions: ["a"])
        #expect(route(push("x", to: "a"), push("y", to: "a"), pop) == ["push x"])
        #expect(route(pop) == [])
    }

    @Test func `a view that is there already is not presented twice`() {
        #expect(
            route(push("x", to: "a"), push("y", to: "a"), push("x", to: "a")) == [
                "push x", "push y",
            ]
        )
    }

    @Test func `a dismissal until a view removes the views above it`() {
        let three = [push("x", to: "a"), push("y", to: "a"), push("z", to: "a")]
        let until = { (view: String) in
            Sessions.Internal.dismissedUntil(view: view, sessions: ["a"])
        }
        #expect(route(three[0], three[1], three[2], until("x")) == ["push x"])
        #expect(route(three[0], three[1], until("none")) == ["push x", "push y"])
    }

    @Test func `a modal is dismissed with the views above it, and a root replaces all`() {
        let modal = Sessions.Internal.presented(view: "m", style: .modal, sessions: ["a"])
        let dismiss = Sessions.Internal.dismissed(style: .modal, sessions: ["a"])
        #expect(route(push("x", to: "a"), modal, push("y", to: "a"), dismiss) == ["push x"])
        let root = Sessions.Internal.presented(view: "r", style: .root, sessions: ["a"])
        #expect(route(push("x", to: "a"), modal, root) == ["root r"])
    }

    @Test func `each session has its own route, and an ended session has none`() {
        let began = Sessions.Internal.began(session: "b")
        #expect(route(began, push("x", to: "a"), push("y", to: "b"), of: "b") == ["push y"])
        #expect(route(began, push("x", to: "a", "b"), .withdrawn(view: "x"), of: "b") == [])
        #expect(route(began, .ended(session: "b"), push("x", to: "b"), of: "b") == nil)
    }
}
