import StoreCore
import StoreHTTPClient
import StorePatterns
import StoreServer
import StoreTesting
import Testing

@testable import Kanban

private let start = Board.start(.init(title: "Roadmap", columns: ["to do", "done"]))

/// Returns the state with a board of two cards, which ada owns and bob may read.
private func appState(hook: String = "") -> AppState {
    var board = Board.State(title: "Roadmap", members: ["ada", "bob"], columns: ["to do", "done"])
    board.cards = [
        "c1": Card(text: "Plan", column: "to do", rank: .first, author: "ada"),
        "c2": Card(text: "Build", column: "to do", rank: .after(.first), author: "bob"),
    ]
    board.hook = hook
    var state = AppState()
    state.board["roadmap"] = board
    return state
}

private func act(_ action: Board.Action) -> any Action { action.to("roadmap") }

/// An address that takes comments, or answers with another status.
private struct Address: HTTPClient {
    let status: Int
    let requests = Recorder<HTTPRequest>()

    func response(to request: HTTPRequest) -> HTTPResponse {
        requests.record(request)
        return HTTPResponse(status: status)
    }

    func dependencies(_ clock: ManualClock) -> Dependencies {
        .controlled(by: clock)
            .setting(HTTPClientKey.self, to: self)
            .setting(
                KanbanOptions.self,
                to: KanbanOptions(hookSecret: Secret("a secret of the example"))
            )
    }
}

@Suite(.everyAction(of: AppState.self)) struct KanbanTests {
    @Test func `a member makes a board, and its owner invites and removes members`() async {
        let store = TestStore(AppState(), dependencies: .controlled())
        await store.send(start.to("roadmap"), refused: "Sign in to make a board.")
        await store.send(start.to("roadmap"), as: "member/ada") {
            $0.board["roadmap"] = Board.State(
                title: "Roadmap",
                members: ["ada"],
                columns: ["to do", "done"]
            )
        }
        let add = act(.added(card: "c1", text: "Plan", column: "to do"))
        await store.send(
            add,
            as: "member/bob",
            refused: "'board/roadmap' is not started; dispatch board/roadmap/start first."
        )
        await store.send(act(.invited(member: "bob")), as: "member/ada") {
            $0.board["roadmap"]?.members = ["ada", "bob"]
        }
        await store.send(add, as: "member/bob") {
            $0.board["roadmap"]?.cards["c1"] =
                Card(text: "Plan", column: "to do", rank: .first, author: "bob")
        }
        await store.send(
            act(.invited(member: "eve")),
            as: "member/bob",
            refused: "Only the owner of the board does this."
        )
        await store.send(act(.removed(member: "bob")), as: "member/ada") {
            $0.board["roadmap"]?.members = ["ada"]
        }
        await store.send(
            act(.removed(member: "ada")),
            as: "member/ada",
            refused: "The owner stays on the board."
        )
        await store.send(Board.stop.to("roadmap")) { $0.board["roadmap"] = nil }
        await store.finish()
    }

    @Test func `there is a bound on boards`() async {
        var state = AppState()
        let board = Board.State(title: "Roadmap", members: ["ada"], columns: ["to do"])
        for number in 1..<Board.boardsMax { state.board["\(number)"] = board }
        let store = TestStore(state)
        store.exhaustivity = .off
        store.add(interceptor: boundOfBoards)
        await store.send(start.to("last"), as: "member/ada")
        let refusal = "There are 5000 boards, the maximum."
        await store.send(start.to("roadmap"), as: "member/ada", refused: refusal)
        await store.send(Board.Action.invited(member: "bob").to("last"), as: "member/ada")
    }

    @Test func `a member moves a card, and takes the own last move back`() async throws {
        let store = TestStore(appState())
        let move = Board.Action.moved(card: "c2", column: "to do", before: "c1")
        await store.send(act(move), as: "member/bob") {
            $0.board["roadmap"]?.cards["c2"]?.rank = .before(.first)
            $0.board["roadmap"]?.lastMoves["bob"] =
                Move(card: "c2", column: "to do", rank: .after(.first))
        }
        let view = BoardViewModel(state: store.state, parameters: .init(board: "roadmap", limit: 1))
        #expect(view?.columns.map(\.count) == [2, 0])
        #expect(view?.columns.first?.cards.map(\.id) == ["c2"])
        await store.send(act(.undone), as: "member/ada", refused: "You have moved no card.")
        await store.send(act(.undone), as: "member/bob") {
            $0.board["roadmap"]?.cards["c2"]?.rank = .after(.first)
            $0.board["roadmap"]?.lastMoves = [:]
        }
    }

    @Test func `a card is edited and deleted, and its last moves end with it`() {
        var state = appState()
        state.board["roadmap"]?.lastMoves["bob"] = Move(card: "c1", column: "done", rank: .first)
        Given(state)
            .when(act(.edited(card: "c1", text: "Plan it")), as: "member/bob") {
                $0.board["roadmap"]?.cards["c1"]?.text = "Plan it"
            }
        Given(state)
            .when(act(.deleted(card: "c1")), as: "member/ada") {
                $0.board["roadmap"]?.cards["c1"] = nil
                $0.board["roadmap"]?.lastMoves = [:]
            }
        Given(state)
            .when(act(.deleted(card: "c3")), as: "member/ada", refused: "There is no card 'c3'.")
    }

    @Test func `a card that is moved before another card is before it, after any moves`() throws {
        var board = try #require(appState().board["roadmap"])
        board.cards["c3"] = Card(text: "Ship", column: "to do", rank: .first, author: "ada")
        let context = ReducerContext(as: ActionPrincipal(name: "ada", role: "member"))
        var random = SeededRandom(seed: 1)
        for _ in 0..<1_000 {
            let ids = ["c1", "c2", "c3"].shuffled(using: &random)
            let move = Board.Action.moved(card: ids[0], column: "to do", before: ids[1])
            _ = try Board().reduce(&board, move, in: context)
            let order = board.cards(in: "to do").map(\.id).filter { $0 != ids[2] }
            #expect(order == [ids[0], ids[1]])
            if Bool.random(using: &random) { _ = try Board().reduce(&board, .undone, in: context) }
        }
    }

    @Test func `an import adds ten thousand cards, or none`() async throws {
        let cards = (0..<10_000).map {
            NewCard(card: "i\($0)", text: "Card \($0)", column: "done")
        }
        let store = TestStore(appState())
        store.exhaustivity = .off
        await store.send(act(.imported(cards: cards)), as: "member/bob")
        let board = try #require(store.state.board["roadmap"])
        #expect(board.cards(in: "done").map(\.id) == cards.map(\.card))
        await store.send(
            act(.imported(cards: [NewCard(card: "new", text: "x", column: "done"), cards[0]])),
            as: "member/bob",
            refused: "There is a card 'i0' already."
        )
        #expect(store.state.board["roadmap"] == board)
        let search = SearchViewModel(state: store.state, parameters: .init(text: "CARD 999"))
        #expect(search?.hits.map(\.card) == ["i999"] + (0...9).map { "i999\($0)" })
    }

    @Test func `a comment goes to the address of the board, with a signature`() async throws {
        let address = Address(status: 204)
        let clock = ManualClock(timeOfDay: 7)
        let store = TestStore(appState(), dependencies: address.dependencies(clock))
        let url = "https://hooks.example/"
        await store.send(
            act(.hooked(url: url)),
            as: "member/bob",
            refused: "Only the owner of the board does this."
        )
        await store.send(act(.hooked(url: url)), as: "member/ada") {
            $0.board["roadmap"]?.hook = url
        }
        await store.send(act(.commented(card: "c1", text: "Good plan.")), as: "member/bob") {
            $0.board["roadmap"]?.cards["c1"]?.comments =
                [Comment(author: "bob", text: "Good plan.", time: 7)]
        }
        await store.finish()
        let request = try await address.requests.next()
        #expect(request.url == url && request.headers["X-Signature-256"]?.count == 71)
    }

    @Test func `a comment that the address never takes is counted`() async throws {
        let address = Address(status: 503)
        let clock = ManualClock()
        let state = appState(hook: "https://hooks.example/")
        let store = TestStore(state, dependencies: address.dependencies(clock))
        store.exhaustivity = .off
        await store.send(act(.commented(card: "c1", text: "Good plan.")), as: "member/bob")
        await clock.run()
        await store.receive(Board.Internal.deliveryFailed.to("roadmap")) {
            $0.board["roadmap"]?.undelivered = 1
        }
        #expect(address.requests.values.count == 1 + 8)
    }

    @Test func `the open cards are counted each morning`() async {
        let clock = ManualClock()
        let store = TestStore(AppState(), dependencies: .controlled(by: clock))
        store.exhaustivity = .off
        await store.send(start.to("roadmap"), as: "member/ada")
        await store.send(act(.added(card: "c1", text: "Plan", column: "to do")), as: "member/ada")
        await clock.advance(by: .seconds(86_400))
        await store.receive(Board.Internal.reminded.to("roadmap")) {
            $0.board["roadmap"]?.openThisMorning = 1
        }
        let view = BoardViewModel(
            state: store.state,
            parameters: .init(board: "roadmap", limit: nil)
        )
        #expect(view?.reminder == "1 cards were open this morning.")
        let boards = BoardsViewModel(state: store.state)
        #expect(boards?.boards == [.init(id: "roadmap", title: "Roadmap", cards: 1)])
    }

    @Test func `a forgotten person leaves no comment and no name`() async {
        var state = appState()
        state.board["roadmap"]?.cards["c1"]?.comments = [
            Comment(author: "bob", text: "mine", time: 0),
            Comment(author: "ada", text: "hers", time: 0),
        ]
        let store = TestStore(state)
        await store.send(PersonForgotten(principal: "bob"), as: "operator/root") {
            $0.board["roadmap"]?.members = ["ada"]
            $0.board["roadmap"]?.cards["c1"]?.comments.removeFirst()
            $0.board["roadmap"]?.cards["c2"]?.author = ""
        }
        await store.send(PersonForgotten(principal: "bob"))
    }

    @Test func `the board of a forgotten person goes to the next member, or ends`() async {
        let clock = ManualClock()
        let store = TestStore(AppState(), dependencies: .controlled(by: clock))
        store.exhaustivity = .off
        await store.send(start.to("roadmap"), as: "member/ada")
        await store.send(act(.invited(member: "bob")), as: "member/ada")
        await store.send(start.to("private"), as: "member/ada")
        store.exhaustivity = .on
        await store.send(PersonForgotten(principal: "ada")) {
            $0.board["roadmap"]?.members = ["bob"]
            $0.board["private"] = nil
        }
        // The reminder of the ended board is gone.
        await clock.advance(by: .seconds(86_400))
        await store.receive(Board.Internal.reminded.to("roadmap")) {
            $0.board["roadmap"]?.openThisMorning = 0
        }
        await store.finish()
    }
}

@Test func `a member in two tabs is present once, with the card of the newer tab`() async {
    let clock = ManualClock()
    let store = TestStore(Live(), dependencies: .controlled(by: clock))
    store.exhaustivity = .off
    typealias Here = Whereabouts<Focus>
    await store.send(Here.Action.entered(place: "roadmap"), as: "member/ada", session: "a")
    await clock.advance(by: .seconds(20))
    let second = Here.Action.entered(place: "roadmap", detail: Focus(card: "c1"))
    await store.send(second, as: "member/ada", session: "b")
    await store.send(Here.Action.entered(place: "roadmap"), as: "member/bob", session: "c")
    let present = { PresentViewModel(state: store.state, parameters: .init(board: "roadmap")) }
    #expect(present()?.members == [.init(id: "ada", card: "c1"), .init(id: "bob", card: nil)])
    await store.send(Here.Action.left(place: "roadmap"), as: "member/bob", session: "c")
    await clock.advance(by: .seconds(20))
    await store.receive(Here.Internal.fellSilent(session: "a", place: "roadmap"))
    #expect(present()?.members == [.init(id: "ada", card: "c1")])
}
