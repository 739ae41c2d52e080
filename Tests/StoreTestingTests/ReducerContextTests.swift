import StoreCore
import StoreTesting
import Testing

/// A board that belongs to the principal that starts it.
private struct Board: ContextualModule, ContextualStartableModule {
    static let name = "boards"

    struct State: ModuleState {
        var owner: String
        var lines: [String] = []
    }

    enum Action: ModuleAction { case written }
    enum Internal: ModuleAction { case checked }

    func begin(_ start: NoFields, in context: ReducerContext) throws -> State {
        guard let owner = context.principal?.name else { throw Refusal.forbidden("Sign in.") }
        return State(owner: owner)
    }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        guard context.principal?.name == state.owner else {
            throw Refusal.forbidden("The board is \(state.owner)'s.")
        }
        state.lines.append("\(context.session) \(context.instance ?? "-")")
        return .run { context in
            #expect(context.principal?.name == "ada" && context.instance == "b1")
            try await context.dispatch(Internal.checked)
        }
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        state.lines.append("after \(context.cause ?? 0) by \(context.principal?.name ?? "-")")
        return .none
    }
}

/// Reminders that are sent in the name of the principal that asked for them. A module that keeps
/// work, and whose reducers get a context.
private struct Reminders: KeepingModule, ContextualModule {
    struct State: ModuleState { var sent: [String] = [] }
    enum Action: ModuleAction { case asked }
    enum Internal: ModuleAction { case sent(by: String) }
    enum Work: ModuleWork { case send(owner: String) }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext)
        -> Effect<State>
    {
        keep(.send(owner: context.principal?.name ?? "-"), id: "send")
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .sent(let owner): state.sent.append("\(owner), \(context.principal?.name ?? "-")")
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .send(let owner):
            try await context.dispatch(
                Internal.sent(by: "\(owner) \(context.principal?.name ?? "-")")
            )
        }
    }
}

private struct Office: RootState {
    var boards = Instances<Board.State>()
    static let modules: Modules = [Board().at(\.boards).lifecycle(.everybody)]
}

@Suite struct ReducerContextTests {
    private func office() -> Office {
        var office = Office()
        office.boards["b1"] = Board.State(owner: "ada")
        return office
    }

    @Test func `a test of a single action has the sender in its context`() {
        let start = Board.start(.init()).to("b2")
        Given(office())
            .when(Board.Action.written.to("b1"), as: "author/ada", session: "s1") {
                $0.boards["b1"]?.lines = ["s1 b1"]
            }
        Given(office())
            .when(
                Board.Action.written.to("b1"),
                as: "author/bob",
                refused: "The board is ada's."
            )
        Given(office()).when(start, refused: "Sign in.")
        Given(office()).when(start, as: "author/bob") {
            $0.boards["b2"] = Board.State(owner: "bob")
        }
    }

    @Test func `a test store has the sender in the context of an action and of its effects`()
        async throws
    {
        let store = TestStore(office())
        await store.send(
            Board.Action.written.to("b1"),
            as: "author/bob",
            refused: "The board is ada's."
        )
        await store.send(Board.Action.written.to("b1"), as: "author/ada", session: "s1") {
            $0.boards["b1"]?.lines = ["s1 b1"]
        }
        await store.receive(Board.Internal.checked.to("b1")) {
            $0.boards["b1"]?.lines = ["s1 b1", "after 1 by ada"]
        }
        await store.finish()
    }

    @Test func `a module that keeps work gets contexts`() async throws {
        let store = TestStore(Reminders(), Reminders.State())
        await store.send(.asked, as: "author/ada")
        await store.receive(Reminders.Internal.sent(by: "ada ada")) { $0.sent = ["ada ada, ada"] }
        await store.finish()
    }

    @Test func `a reducer is called with a context of the test's own`() throws {
        var state = Board.State(owner: "ada")
        let context = ReducerContext(as: ActionPrincipal(name: "ada", role: "author"), time: 7)
        _ = try Board().reduce(&state, .written, in: context)
        #expect(state.lines == ["shared -"] && context.time == 7 && context.version == 1)
        #expect(throws: Refusal.self) { try Board().reduce(&state, .written) }
    }
}
