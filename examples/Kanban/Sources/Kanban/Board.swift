import StoreCore
import StorePatterns

/// A board of a team. Only its members read it; its owner invites and removes members.
struct Board: RestrictedModule, ContextualStartableModule, ContextualModule, KeepingModule {
    static let boardsMax = 5_000
    static let membersMax = 200
    static let cardsMax = 20_000

    struct State: ModuleState {
        var title: String
        /// The principals that read the board. The first is the owner.
        var members: [String]
        /// The columns, from left to right.
        var columns: [String]
        /// A row for each card, so that an action costs by the changed cards.
        var cards: Table<String, Card> = [:]
        /// The last move of each member, which the member may undo.
        var lastMoves: [String: Move] = [:]
        /// The address that gets each comment; empty for none.
        var hook = ""
        /// The number of comments that the address did not take, after all tries.
        var undelivered = 0
        /// The number of open cards this morning; `nil` before the first morning.
        var openThisMorning: Int?
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
        var columns: [String]
    }

    enum Action: ModuleAction {
        case added(card: String, text: String, column: String)
        /// Adds many cards in one action: all of them, or none.
        case imported(cards: [NewCard])
        case edited(card: String, text: String)
        /// Moves a card before another card of a column. `nil` stands for the end of the column.
        case moved(card: String, column: String, before: String?)
        /// Takes back the sender's last move.
        case undone
        case deleted(card: String)
        case commented(card: String, text: String)
        case invited(member: String)
        case removed(member: String)
        /// Sets the address that gets each comment.
        case hooked(url: String)
    }

    enum Internal: ModuleAction {
        case reminded
        case deliveryFailed
    }

    /// Work that continues after a restart.
    enum Work: ModuleWork {
        case deliver(url: String, Delivery)
    }

    func readers(of board: State) -> Readers { .principals(board.members) + .roles(["support"]) }

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        guard let owner = context.principal?.name else {
            throw Refusal.forbidden("Sign in to make a board.")
        }
        try check(start.title, at: "/title")
        for (index, column) in start.columns.enumerated() {
            try check(column, 1...64, at: "/columns/\(index)")
        }
        guard (1...20).contains(start.columns.count),
            Set(start.columns).count == start.columns.count
        else {
            throw Refusal(reason: "A board has 1 to 20 different columns.", pointer: "/columns")
        }
        return State(title: start.title, members: [owner], columns: start.columns)
    }

    /// Sets the reminder of each morning. The timer ends with the board.
    func effect(afterStart start: Start, in state: State) -> Effect<State> {
        .daily(at: TimeOfDay(hour: 7), id: "reminder", Internal.reminded, missed: .skipped)
    }

    func reduce(_ board: inout State, _ action: Action, in context: ReducerContext) throws
        -> Effect<State>
    {
        guard let sender = context.principal?.name else {
            throw Refusal.forbidden("Sign in to change a board.")
        }
        switch action {
        case .added(let id, let text, let column):
            try board.add([NewCard(card: id, text: text, column: column)], by: sender) { _ in "" }
        case .imported(let cards): try board.add(cards, by: sender) { "/cards/\($0)" }
        case .edited(let id, let text):
            try check(text, at: "/text")
            try board.change(id) { $0.text = text }
        case .moved(let id, let column, let next):
            let rank = try board.rank(in: column, before: next)
            let card = try board.card(id)
            board.lastMoves[sender] = Move(card: id, column: card.column, rank: card.rank)
            try board.change(id) { ($0.column, $0.rank) = (column, rank) }
        case .undone:
            guard let move = board.lastMoves.removeValue(forKey: sender) else {
                throw Refusal(reason: "You have moved no card.")
            }
            try board.change(move.card) { ($0.column, $0.rank) = (move.column, move.rank) }
        case .deleted(let id):
            _ = try board.card(id)
            board.cards[id] = nil
            board.lastMoves = board.lastMoves.filter { $0.value.card != id }
        case .commented(let id, let text):
            try check(text, at: "/text")
            let comment = Comment(author: sender, text: text, time: context.time)
            try board.change(id) { card in
                guard card.comments.count < Card.commentsMax else {
                    throw Refusal(reason: "A card has \(Card.commentsMax) comments at most.")
                }
                card.comments.append(comment)
            }
            return deliver(comment, on: id, of: board, in: context)
        case .invited(let member):
            try board.checkOwner(sender)
            try check(member, 1...200, at: "/member")
            guard board.members.count < Self.membersMax else {
                throw Refusal(reason: "A board has \(Self.membersMax) members at most.")
            }
            if !board.members.contains(member) { board.members.append(member) }
        case .removed(let member):
            if member != sender { try board.checkOwner(sender) }
            guard member != board.members.first else {
                throw Refusal(reason: "The owner stays on the board.", pointer: "/member")
            }
            board.members.removeAll { $0 == member }
            board.lastMoves[member] = nil
        case .hooked(let url):
            try board.checkOwner(sender)
            try check(url, 0...2_000, at: "/url")
            guard url.isEmpty || url.hasPrefix("https://") || url.hasPrefix("http://") else {
                throw Refusal(reason: "A hook is an address with http or https.", pointer: "/url")
            }
            board.hook = url
        }
        return .none
    }

    func reduce(_ board: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .reminded:
            board.openThisMorning = board.cards.values.count { $0.column != board.columns.last }
        case .deliveryFailed: board.undelivered += 1
        }
        return .none
    }
}
