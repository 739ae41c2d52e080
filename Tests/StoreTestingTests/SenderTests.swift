import StoreCore
import StorePatterns
import StoreTesting
import Testing

private struct Notes: Module {
    struct State: ModuleState { var lines: [String] = [] }

    enum Action: ModuleAction {
        case added(author: String, text: String)
        case cleared
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .added(let author, let text): state.lines.append("\(author): \(text)")
        case .cleared: state.lines = []
        }
    }
}

private struct Basket: Module {
    struct State: ModuleState { var items = 0 }
    enum Action: ModuleAction { case filled }

    static let dispatchables: [any Dispatchable.Type] = [Count.self]

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("basket", "fill") { (_: NoFields, context) in
                try await context.dispatch(Action.filled)
            }
        ]
    }

    func reduce(_ state: inout State, _ action: Action) { state.items += 1 }
}

private struct Count: SideEffect {
    func sideEffect(_ context: EffectContext<Basket.State>) async throws -> Int {
        try await context.state().items
    }
}

private struct Room: StartableModule {
    static let name = "rooms"
    struct State: ModuleState { var lines: [String] = [] }
    enum Action: ModuleAction { case said(by: String) }

    func begin(_ start: NoFields) -> State { State() }
    func reduce(_ state: inout State, _ action: Action) {}
}

private struct House: RootState {
    var rooms = Instances<Room.State>()
    static let modules: Modules = [Room().at(\.rooms)]
}

private struct Shop: RootState {
    var notes = Notes.State()
    var basket = PerSession(Basket.State())
    var sessions = Sessions.State()

    static let modules: Modules = [
        Notes().at(\.notes), Basket().at(\.basket), Sessions().at(\.sessions),
    ]
}

/// Tests that act as a principal and from a session. A policy decides as a server's policy does.
@Suite struct SenderTests {
    private static let policy = """
        {"roles": {
            "author": {"dispatch": [{"type": "notes/added", "where": {"/author": "$principal"}}]},
            "editor": {"dispatch": ["notes/*"], "call": ["usecases/basket/fill"]}
        }}
        """
    private let failures = Failures()

    @Test func `an action of a session changes the slice of that session`() async {
        let store = TestStore(Shop())
        for name in ["a", "b"] {
            await store.send(Sessions.Internal.began(session: name)) {
                $0.sessions = beginning($0.sessions, name)
            }
        }
        await store.send(Basket.Action.filled, session: "a") { $0.basket["a"].items = 1 }
        await store.send(Basket.Action.filled, session: "b") { $0.basket["b"].items = 1 }
        await store.send(Basket.Action.filled, session: "a") { $0.basket["a"].items = 2 }
        await store.finish()
        Given(store.state).when(Basket.Action.filled, session: "b") {
            $0.basket["b"].items = 2
        }
    }

    private func beginning(_ state: Sessions.State, _ name: String) -> Sessions.State {
        var state = state
        _ = Sessions().reduce(&state, internal: .began(session: name))
        return state
    }

    @Test func `interceptors get the principal and the session`() async {
        let store = TestStore(Shop())
        store.add(interceptor: { _, _, envelope in
            guard envelope.principal == ActionPrincipal(name: "eve", role: "editor") else {
                throw Refusal(reason: "Only Eve.")
            }
            return .proceed
        })
        await store.send(Notes.Action.cleared, as: "editor/bob", refused: "Only Eve.")
        await store.send(Notes.Action.added(author: "x", text: "y"), as: "editor/eve") {
            $0.notes.lines = ["x: y"]
        }
        await store.finish()
    }

    @Test func `a policy decides about the actions of a role`() async {
        let store = TestStore(Shop(), policy: .json(Self.policy))
        await store.send(Notes.Action.added(author: "ada", text: "A"), as: "author/ada") {
            $0.notes.lines = ["ada: A"]
        }
        await store.send(
            Notes.Action.added(author: "bob", text: "B"),
            as: "author/ada",
            refused: "The role 'author' may dispatch 'notes/added' only if '/author' is the "
                + "principal's name."
        )
        await store.send(
            Notes.Action.cleared,
            as: "author/ada",
            refused: "The role 'author' may not dispatch 'notes/cleared'."
        )
        await store.send(
            Notes.Action.cleared,
            refused: "The policy does not have the role 'anonymous'."
        )
        await store.send(Notes.Action.cleared, as: "editor/eve") { $0.notes.lines = [] }
        await store.finish()
        let given = Given(Shop(), policy: .json(Self.policy))
        given.when(Notes.Action.added(author: "ada", text: "A"), as: "author/ada") {
            $0.notes.lines = ["ada: A"]
        }
        given.when(
            Notes.Action.cleared,
            as: "author/ada",
            refused: "The role 'author' may not dispatch 'notes/cleared'."
        )
    }

    @Test func `use cases and side effects have a session, and a policy grants calls`()
        async throws
    {
        let store = TestStore(Shop(), policy: .json(Self.open))
        await store.send(Sessions.Internal.began(session: "a")) {
            $0.sessions = beginning($0.sessions, "a")
        }
        await store.call("basket", "fill", as: "root/x", session: "a")
        await store.receive(Basket.Action.filled) { $0.basket["a"].items = 1 }
        #expect(try await store.value(of: Count(), as: "root/x", session: "a") == 1)
        #expect(try await store.value(of: Count(), as: "root/x") == 0)
        await store.finish()
        let denied = TestStore(
            Shop(),
            policy: .json(Self.policy),
            reporter: failures.reporter
        )
        await denied.call("basket", "fill", as: "author/ada")
        #expect(failures.take().joined().contains("The role 'author' may not call 'basket/fill'."))
        await denied.call("basket", "fill", as: "editor/eve")
        await denied.receive(Basket.Action.filled) { $0.basket["shared"].items = 1 }
        #expect(failures.take() == [])
    }

    private static let open = #"{"roles": {"root": {"dispatch": ["*"], "call": ["*"]}}}"#

    @Test func `a denial names the action of an instance as the policy does`() async {
        let policy = """
            {"roles": {"guest": {"dispatch": [
                {"type": "rooms/{id}/said", "where": {"/by": "$principal"}}
            ]}}}
            """
        let store = TestStore(House(), policy: .json(policy))
        await store.send(
            Room.Action.said(by: "bob").to("tea"),
            as: "guest/ada",
            refused: "The role 'guest' may dispatch 'rooms/{id}/said' only if '/by' is the "
                + "principal's name."
        )
        await store.finish()
    }

    @Test func `a principal without a role, and a policy with a wrong name, are reported`() async {
        let store = TestStore(
            Shop(),
            policy: .json(#"{"roles": {"author": {"dispatch": ["note/added"]}}}"#),
            reporter: failures.reporter
        )
        #expect(failures.take().joined().contains("did you mean \"notes/added\"?"))
        await store.send(Notes.Action.cleared, as: "ada")
        #expect(failures.take().joined().contains("'ada' is no principal; allowed is ROLE/NAME"))
    }
}
