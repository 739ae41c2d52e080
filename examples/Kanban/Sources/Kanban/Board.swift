import StoreCore
import StorePatterns

/// A board of a team. Only its members read it; its owner invites and removes members.
struct Board: RestrictedModule, ContextualStartableModule, ContextualModule, KeepingModule {
    static let membersMax = 200
    static let cardsMax = 20_000
    static let commentsMax = 500
    static let charactersMax = 4_000

    struct State: ModuleState {
        var title: String
        /// The principals that read the board. The first is the owner.
        var members: [String]
        /// The columns, from left to right.
        var columns: [String]
        var cards: [String: Card] = [:]
        /// The last move of each member, which the member may undo.
        var lastMoves: [String: Move] = [:]
        /// The address that gets each comment; empty for none.
        var hook = ""
        /// The comments that the address did not take, after all tries.
        var undelivered = 0
        /// The text of the last daily reminder.
        var reminder = ""
    }

    struct Start: Codable, Equatable, Sendable {
        var title: String
        var columns: [String]
    }

    enum Action: ModuleAction {
        case added(card: String, text: String, column: String)
        /// Adds many cards in one action: all of them, or none.
        case imported(cards: [ImportedCard])
        case edited(card: String, text: String)
        /// Moves a card to a column, between two cards of this column. `nil` stands for the
        /// beginning and the end of the column.
        case moved(card: String, column: String, below: String?, above: String?)
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
        case deliveryFailed(card: String)
        /// Removes what a person wrote and is.
        case forgot(member: String)
    }

    /// Work that continues after a restart.
    enum Work: ModuleWork {
        case deliver(url: String, board: String, card: String, comment: Comment)
    }

    func readers(of board: State) -> Readers { .principals(board.members) + .roles(["support"]) }

    func begin(_ start: Start, in context: ReducerContext) throws -> State {
        guard let owner = context.principal?.name else {
            throw Refusal.forbidden("Sign in to make a board.")
        }
        guard (1...20).contains(start.columns.count),
            Set(start.columns).count == start.columns.count
        else {
            throw Refusal(reason: "A board has 1 to 20 different columns.", pointer: "/columns")
        }
        try check(start.title, at: "/title")
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
            try board.add([ImportedCard(card: id, text: text, column: column)], by: sender)
        case .imported(let cards): try board.add(cards, by: sender)
        case .edited(let id, let text):
            try check(text, at: "/text")
            try board.change(id) { $0.text = text }
        case .moved(let id, let column, let below, let above):
            let rank = try board.rank(in: column, below: below, above: above, of: id)
            let before = board.cards[id]
            try board.change(id) { ($0.column, $0.rank) = (column, rank) }
            board.lastMoves[sender] = before.map {
                Move(card: id, column: $0.column, rank: $0.rank)
            }
        case .undone:
            guard let move = board.lastMoves.removeValue(forKey: sender) else {
                throw Refusal(reason: "You have moved no card.")
            }
            try board.change(move.card) { ($0.column, $0.rank) = (move.column, move.rank) }
        case .deleted(let id):
            try board.change(id) { _ in }
            board.cards[id] = nil
            board.lastMoves = board.lastMoves.filter { $0.value.card != id }
        case .commented(let id, let text):
            try check(text, at: "/text")
            let comment = Comment(author: sender, text: text, time: context.time)
            try board.change(id) { card in
                guard card.comments.count < Self.commentsMax else {
                    throw Refusal(reason: "The card has \(Self.commentsMax) comments, the maximum.")
                }
                card.comments.append(comment)
            }
            guard !board.hook.isEmpty else { break }
            let name = context.instance ?? ""
            return keep(
                .deliver(url: board.hook, board: name, card: id, comment: comment),
                retry: .times(8, pause: .seconds(1), pauseMax: .seconds(300))
            )
        case .invited(let member):
            try board.checkOwner(sender)
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
            let open = board.cards.values.count { $0.column != board.columns.last }
            board.reminder = "\(open) cards are open."
        case .deliveryFailed: board.undelivered += 1
        case .forgot(let member): board.forget(member)
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .deliver(let url, let board, let card, let comment):
            let delivery = Delivery(board: board, card: card, comment: comment)
            try await context.dependencies.hooks.deliver(delivery, to: url)
        }
    }

    func failed(_ work: Work, _ error: any Error) -> Internal? {
        switch work {
        case .deliver(_, _, let card, _): .deliveryFailed(card: card)
        }
    }
}

/// Throws a refusal if a text is empty or too long.
func check(_ text: String, at pointer: String) throws(Refusal) {
    guard (1...Board.charactersMax).contains(text.utf8.count) else {
        let reason = "A text has 1 to \(Board.charactersMax) bytes."
        throw Refusal(reason: reason, pointer: pointer)
    }
}
