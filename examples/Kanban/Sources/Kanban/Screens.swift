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

/// A board as a page shows it: columns with the first of their cards.
struct BoardViewModel: ParameterizedViewModel {
    static let name = "board"
    static let reads: [any ModuleInterface.Type] = [Board.self]

    struct Parameters: Codable, Sendable {
        let board: String
        /// The most cards of a column that the view has; 100 by default.
        let limit: Int?
    }

    struct Column: Encodable, Equatable, Sendable {
        let id: String
        /// The number of all cards of the column.
        let count: Int
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
        reminder = board.openThisMorning.map { "\($0) cards were open this morning." } ?? ""
        columns = board.columns.map { column in
            let cards = board.cards(in: column)
            let rows = cards.prefix(max(0, parameters.limit ?? 100)).map { id, card in
                Row(id: id, text: card.text, author: card.author, comments: card.comments.count)
            }
            return Column(id: column, count: cards.count, cards: rows)
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
        let found = state.board.ids.lazy.flatMap { id in
            (state.board[id]?.cards ?? [:]).lazy
                .filter { $0.value.text.lowercased().contains(wanted) }
                .map { Hit(board: id, card: $0.key, text: $0.value.text) }
        }
        hits = Array(found.prefix(Self.hitsMax))
    }
}
