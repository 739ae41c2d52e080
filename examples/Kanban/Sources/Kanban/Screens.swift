import StoreCore

/// The boards that the reader of the view is a member of.
struct BoardsViewModel: ViewModelWithState {
    static let name = "boards"
    static let reads: [any ModuleInterface.Type] = [Board.self]

    struct Row: Encodable, Equatable, Sendable {
        let id: String
        let title: String
        let cards: Int
    }

    let boards: [Row]

    init?(state: AppState) {
        boards = state.board.ids.compactMap { id in
            state.board[id].map { Row(id: id, title: $0.title, cards: $0.cards.count) }
        }
    }
}

/// A board as a page shows it: columns with cards in their order.
struct BoardViewModel: ParameterizedViewModel {
    static let name = "board"
    static let reads: [any ModuleInterface.Type] = [Board.self]

    struct Parameters: Codable, Sendable { let board: String }

    struct Column: Encodable, Equatable, Sendable {
        let id: String
        let cards: [Row]
    }

    struct Row: Encodable, Equatable, Sendable {
        let id: String
        let text: String
        let author: String
        let comments: Int
    }

    let title: String
    let members: [String]
    let reminder: String
    let columns: [Column]

    init?(state: AppState, parameters: Parameters) {
        guard let board = state.board[parameters.board] else { return nil }
        title = board.title
        members = board.members
        reminder = board.reminder
        columns = board.columns.map { column in
            Column(
                id: column,
                cards: board.cards(in: column).map { id, card in
                    Row(id: id, text: card.text, author: card.author, comments: card.comments.count)
                }
            )
        }
    }
}

/// The cards with a text, on all boards that the reader of the view reads.
struct SearchViewModel: ParameterizedViewModel {
    static let name = "search"
    static let reads: [any ModuleInterface.Type] = [Board.self]
    static let hitsMax = 50

    struct Parameters: Codable, Sendable { let text: String }

    struct Hit: Encodable, Equatable, Sendable {
        let board: String
        let card: String
        let text: String
    }

    let hits: [Hit]

    init?(state: AppState, parameters: Parameters) {
        let wanted = parameters.text.lowercased()
        guard !wanted.isEmpty else { return nil }
        var hits: [Hit] = []
        for id in state.board.ids {
            for (card, content) in (state.board[id]?.cards ?? [:]).sorted(by: { $0.key < $1.key })
            where hits.count < Self.hitsMax && content.text.lowercased().contains(wanted) {
                hits.append(Hit(board: id, card: card, text: content.text))
            }
        }
        self.hits = hits
    }
}
