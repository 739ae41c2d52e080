import StoreCore
import StoreServer

/// A server with a board of cards in one slice: as a table, or as a dictionary.
@main
struct CollectionsServer {
    static func main() { Server(BenchState.self).main() }
}

struct Card: Codable, Equatable, Sendable {
    var title: String
    var note = "A card of about a hundred bytes, as most rows of real stores are."
    var votes = 0
}

func makeCards(_ count: Int) -> [(String, Card)] {
    (0..<count).map { ("card-\(1_000_000 + $0)", Card(title: "Card \($0)")) }
}

/// A board whose cards are in a table.
struct Board: Module {
    struct State: ModuleState {
        var title = "A board"
        var cards: Table<String, Card> = [:]
    }

    enum Action: ModuleAction {
        /// Replaces the cards by `count` cards.
        case filled(count: Int)
        case voted(card: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .filled(let count): state.cards = Table(makeCards(count))
        case .voted(let card): state.cards[card]?.votes += 1
        }
    }
}

/// A board whose cards are in a dictionary.
struct Plain: Module {
    struct State: ModuleState {
        var title = "A board"
        var cards: [String: Card] = [:]
    }

    enum Action: ModuleAction {
        /// Replaces the cards by `count` cards.
        case filled(count: Int)
        case voted(card: String)
    }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .filled(let count): state.cards = Dictionary(uniqueKeysWithValues: makeCards(count))
        case .voted(let card): state.cards[card]?.votes += 1
        }
    }
}

struct BenchState: RootState {
    var board = Board.State()
    var plain = Plain.State()

    static let modules: Modules = [Board().at(\.board), Plain().at(\.plain)]
}
