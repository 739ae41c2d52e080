import StoreCore
import StorePatterns

/// A card. Its rank is its place among the cards of its column.
struct Card: ModuleState {
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

/// A card of an import.
struct ImportedCard: ModuleState {
    var card: String
    var text: String
    var column: String
}

/// The place of a card before its move.
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

    /// Adds cards at the ends of their columns: all of them, or none.
    mutating func add(_ new: [ImportedCard], by author: String) throws {
        guard cards.count + new.count <= Board.cardsMax else {
            throw Refusal(reason: "A board has \(Board.cardsMax) cards at most.")
        }
        var lasts: [String: Rank] = [:]
        for card in cards.values {
            lasts[card.column] = max(lasts[card.column] ?? card.rank, card.rank)
        }
        for card in new {
            try check(card.text, at: "/text")
            guard cards[card.card] == nil, !card.card.isEmpty else {
                throw Refusal(reason: "There is a card '\(card.card)' already.", pointer: "/card")
            }
            try checkColumn(card.column)
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

    /// Changes a card, or throws a refusal if there is no such card.
    mutating func change(_ id: String, _ change: (inout Card) throws -> Void) throws {
        guard var card = cards[id] else {
            throw Refusal(reason: "There is no card '\(id)'.", pointer: "/card")
        }
        try change(&card)
        cards[id] = card
    }

    /// Returns the rank of a new place in a column, between two other cards of the column.
    func rank(in column: String, below: String?, above: String?, of moved: String) throws -> Rank {
        try checkColumn(column)
        let ranks = try [below, above].map { id -> Rank? in
            guard let id else { return nil }
            guard let card = cards[id], card.column == column, id != moved else {
                throw Refusal(reason: "'\(id)' is no other card of '\(column)'.")
            }
            return card.rank
        }
        guard ranks[0] == nil, ranks[1] == nil else {
            return try Rank.between(ranks[0], ranks[1])
        }
        return Rank.after(cards(in: column).last { $0.id != moved }?.card.rank)
    }

    func checkOwner(_ name: String) throws(Refusal) {
        guard members.first == name else {
            throw Refusal.forbidden("Only the owner of the board does this.")
        }
    }

    private func checkColumn(_ column: String) throws(Refusal) {
        guard columns.contains(column) else {
            let allowed = columns.joined(separator: ", ")
            throw Refusal(reason: "The columns are \(allowed).", pointer: "/column")
        }
    }

    /// Removes a person: its membership, its comments, and its name on cards.
    mutating func forget(_ name: String) {
        members.removeAll { $0 == name }
        lastMoves[name] = nil
        for (id, var card) in cards {
            card.comments.removeAll { $0.author == name }
            if card.author == name { card.author = "" }
            cards[id] = card
        }
    }
}
