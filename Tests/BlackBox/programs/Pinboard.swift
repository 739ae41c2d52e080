// A board whose cards are in a table. With EDITION=first the cards are in a dictionary, as before
// the board had many cards.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

struct Card: Codable, Equatable, Sendable {
    var title: String
    var votes = 0
}

enum BoardAction: ModuleAction {
    case pinned(card: String, title: String)
    case filled(count: Int)
    case voted(card: String)
    /// Sets the same title again.
    case confirmed(card: String)
    case removed(card: String)
    case titled(title: String)
    /// Makes a row that has no JSON form.
    case spoiled
}

/// A collection of cards: a table, or a dictionary.
protocol Cards: Codable, Equatable, Sendable {
    init()
    var count: Int { get }
    subscript(card: String) -> Card? { get set }
}

extension Table<String, Card>: Cards {}
extension [String: Card]: Cards {}

struct Board<Collection: Cards>: Module {
    struct State: ModuleState {
        var title = "Board"
        var cards = Collection()
        var weights: Table<String, Double>?
    }

    static var name: String { "board" }
    typealias Action = BoardAction

    func reduce(_ state: inout State, _ action: BoardAction) throws {
        switch action {
        case .pinned(let card, let title): state.cards[card] = Card(title: title)
        case .filled(let count):
            for number in 0..<count {
                state.cards["card-\(100_000 + number)"] = Card(title: "Card \(number)")
            }
        case .voted(let card):
            guard state.cards[card] != nil else { throw Refusal(reason: "There is no '\(card)'.") }
            state.cards[card]?.votes += 1
        case .confirmed(let card):
            let old = state.cards[card]
            state.cards[card] = old
        case .removed(let card): state.cards[card] = nil
        case .titled(let title): state.title = title
        case .spoiled: state.weights = ["heavy": .infinity]
        }
    }
}

/// A board for each room, and a board for each user.
struct Rooms: StartableModule {
    struct State: ModuleState { var cards: Table<String, Card> = [:] }
    enum Action: ModuleAction { case pinned(card: String, title: String) }

    func begin(_ start: NoFields) -> State { State() }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .pinned(let card, let title): state.cards[card] = Card(title: title)
        }
    }
}

struct Own: Module {
    struct State: ModuleState { var cards: Table<String, Card> = [:] }
    enum Action: ModuleAction { case pinned(card: String, title: String) }

    func reduce(_ state: inout State, _ action: Action) {
        switch action {
        case .pinned(let card, let title): state.cards[card] = Card(title: title)
        }
    }
}

struct FirstState: RootState {
    var board = Board<[String: Card]>.State()
    static let modules: Modules = [Board<[String: Card]>().at(\.board)]
}

struct SecondState: RootState {
    var board = Board<Table<String, Card>>.State()
    var rooms = Instances<Rooms.State>()
    var own = PerPrincipal(Own.State())
    var sessions = Sessions.State()
    var users = PerPrincipal(Users.State())
    static let modules: Modules = [
        Board<Table<String, Card>>().at(\.board), Rooms().at(\.rooms).lifecycle(.everybody),
        Own().at(\.own), Sessions().at(\.sessions), Users().at(\.users),
    ]
}

switch getenv("EDITION").map({ String(cString: $0) }) {
case "first": Server(FirstState.self).main()
default: Server(SecondState.self).main()
}
