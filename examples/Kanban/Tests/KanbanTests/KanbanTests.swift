import StoreCore
import StorePatterns
import StoreTesting
import Testing

@testable import Kanban

private let start = Board.start(.init(title: "Roadmap", columns: ["to do", "done"]))

/// Returns a board with two cards, which ada owns and bob may read.
private func board() throws -> Board.State {
    var board = Board.State(title: "Roadmap", members: ["ada", "bob"], columns: ["to do", "done"])
    try board.add(
        [
            ImportedCard(card: "c1", text: "Plan", column: "to do"),
            ImportedCard(card: "c2", text: "Build", column: "to do"),
        ],
        by: "ada"
    )
    return board
}

@Test func `a member moves a card, and takes the move back`() async throws {
    var state = AppState()
    state.board["roadmap"] = try board()
    let store = TestStore(state)
    let before = try #require(state.board["roadmap"]?.cards["c2"]?.rank)
    let rank = Rank.before(state.board["roadmap"]?.cards["c1"]?.rank)
    let move = Board.Action.moved(card: "c2", column: "to do", below: nil, above: "c1")
    await store.send(move.to("roadmap"), as: "member/bob") {
        $0.board["roadmap"]?.cards["c2"]?.rank = rank
        $0.board["roadmap"]?.lastMoves["bob"] = Move(card: "c2", column: "to do", rank: before)
    }
    let view = BoardViewModel(state: store.state, parameters: .init(board: "roadmap"))
    #expect(view?.columns.first?.cards.map(\.id) == ["c2", "c1"])
    await store.send(
        Board.Action.undone.to("roadmap"),
        as: "member/ada",
        refused: "You have moved no card."
    )
    await store.send(Board.Action.undone.to("roadmap"), as: "member/bob") {
        $0.board["roadmap"]?.cards["c2"]?.rank = before
        $0.board["roadmap"]?.lastMoves = [:]
    }
}

@Test func `only members act on a board, and only its owner invites`() async {
    let clock = ManualClock()
    let store = TestStore(AppState(), dependencies: .controlled(by: clock))
    store.exhaustivity = .off
    await store.send(start.to("roadmap"), as: "member/ada") {
        $0.board["roadmap"] = Board.State(
            title: "Roadmap",
            members: ["ada"],
            columns: ["to do", "done"]
        )
    }
    let add = Board.Action.added(card: "c1", text: "Plan", column: "to do").to("roadmap")
    await store.send(
        add,
        as: "member/bob",
        refused: "'board/roadmap' is not started; dispatch board/roadmap/start first."
    )
    await store.send(Board.Action.invited(member: "bob").to("roadmap"), as: "member/ada") {
        $0.board["roadmap"]?.members = ["ada", "bob"]
    }
    await store.send(add, as: "member/bob") {
        $0.board["roadmap"]?.cards["c1"] = Card(
            text: "Plan",
            column: "to do",
            rank: .first,
            author: "bob"
        )
    }
    await store.send(
        Board.Action.invited(member: "eve").to("roadmap"),
        as: "member/bob",
        refused: "Only the owner of the board does this."
    )
}

@Test func `an import adds all cards, or none`() throws {
    var board = try board()
    let cards = (0..<10_000).map {
        ImportedCard(card: "i\($0)", text: "Card \($0)", column: "done")
    }
    let context = ReducerContext(as: ActionPrincipal(name: "ada", role: "member"))
    _ = try Board().reduce(&board, .imported(cards: cards), in: context)
    #expect(board.cards(in: "done").map(\.id) == cards.map(\.card))
    let twice = [ImportedCard(card: "new", text: "x", column: "done"), cards[0]]
    #expect(throws: Refusal.self) {
        try Board().reduce(&board, .imported(cards: twice), in: context)
    }
}

@Test func `a forgotten person leaves no comment and no name`() throws {
    var board = try board()
    board.cards["c1"]?.comments = [
        Comment(author: "bob", text: "mine", time: 0),
        Comment(author: "ada", text: "hers", time: 0),
    ]
    board.cards["c2"]?.author = "bob"
    board.forget("bob")
    #expect(board.members == ["ada"] && board.cards["c2"]?.author == "")
    #expect(board.cards["c1"]?.comments.map(\.author) == ["ada"])
}
