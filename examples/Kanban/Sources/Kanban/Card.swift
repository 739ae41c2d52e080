import StoreCore
import StorePatterns

/// A card: a row in the table of its board. Its rank is its place among the cards of its column.
struct Card: ModuleState {
    static let commentsMax = 100

    var text: String
    var column: String
    var rank: Rank
    var author: String
    var comments: [Comment] = []
}

struct Comment: ModuleState {
    var author: String
    var text: String
    /// The time of the comment, in nanoseconds since 1970.
    var time: Int64
}

/// A card that is added. The client chooses its id.
struct NewCard: ModuleState {
    var card: String
    var text: String
    var column: String
}

/// The place of a card before its last move.
struct Move: ModuleState {
    var card: String
    var column: String
    var rank: Rank
}

extension Board.State {
    /// Returns the cards of a column, in their order.
    func cards(in column: String) -> [(id: String, card: Card)] {
        cards.filter { $0.value.column == column }
            .sorted { ($0.value.rank, $0.key) < ($1.value.rank, $1.key) }
            .map { ($0.key, $0.value) }
    }

    /// Adds cards at the ends of their columns. `pointer` is the place of a card in the payload.
    mutating func add(_ new: [NewCard], by author: String, at pointer: (Int) -> String) throws {
        guard cards.count + new.count <= Board.cardsMax else {
            throw Refusal(reason: "A board has \(Board.cardsMax) cards at most.")
        }
        var lasts: [String: Rank] = [:]
        for card in cards.values {
            lasts[card.column] = max(lasts[card.column] ?? card.rank, card.rank)
        }
        for (index, card) in new.enumerated() {
            try check(card.card, 1...64, at: pointer(index) + "/card")
            try check(card.text, at: pointer(index) + "/text")
            try checkColumn(card.column, at: pointer(index) + "/column")
            guard !cards.contains(card.card) else {
                let reason = "There is a card '\(card.card)' already."
                throw Refusal(reason: reason, pointer: pointer(index) + "/card")
            }
            let rank = Rank.after(lasts[card.column])
            lasts[card.column] = rank
            cards[card.card] = Card(
                text: card.text,
                column: card.column,
                rank: rank,
                author: author
            )
        }
    }

    /// Returns a card, or throws a refusal if there is no such card.
    func card(_ id: String) throws(Refusal) -> Card {
        guard let card = cards[id] else {
            throw Refusal(reason: "There is no card '\(id)'.", pointer: "/card")
        }
        return card
    }

    /// Changes a card, or throws a refusal if there is no such card.
    mutating func change(_ id: String, _ change: (inout Card) throws -> Void) throws {
        var card = try card(id)
        try change(&card)
        cards[id] = card
    }

    /// Returns the rank of a place in a column: before the card `next`, or at the end.
    func rank(in column: String, before next: String?) throws -> Rank {
        try checkColumn(column, at: "/column")
        let ranks = cards.values.filter { $0.column == column }.map(\.rank)
        guard let next else { return Rank.after(ranks.max()) }
        guard let rank = cards[next]?.rank, cards[next]?.column == column else {
            throw Refusal(reason: "'\(next)' is no card of '\(column)'.", pointer: "/before")
        }
        return try Rank.between(ranks.filter { $0 < rank }.max(), rank)
    }

    func checkOwner(_ name: String) throws(Refusal) {
        guard members.first == name else {
            throw Refusal.forbidden("Only the owner of the board does this.")
        }
    }

    private func checkColumn(_ column: String, at pointer: String) throws(Refusal) {
        guard columns.contains(column) else {
            let allowed = columns.joined(separator: ", ")
            throw Refusal(reason: "The columns are \(allowed).", pointer: pointer)
        }
    }

    /// Removes a person: its membership, its comments, and its name on cards.
    mutating func forget(_ name: String) {
        members.removeAll { $0 == name }
        lastMoves[name] = nil
        for (id, card) in cards {
            var kept = card
            kept.comments.removeAll { $0.author == name }
            if kept.author == name { kept.author = "" }
            if kept != card { cards[id] = kept }
        }
    }
}

/// Throws a refusal if a text is empty or too long.
func check(_ text: String, _ bytes: ClosedRange<Int> = 1...1_000, at pointer: String)
    throws(Refusal)
{
    guard bytes.contains(text.utf8.count) else {
        let reason = "A text here has \(bytes.lowerBound) to \(bytes.upperBound) bytes."
        throw Refusal(reason: reason, pointer: pointer)
    }
}
