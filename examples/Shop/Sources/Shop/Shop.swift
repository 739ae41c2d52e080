import StoreCore
import StorePatterns
import StoreServer

/// The articles and their prices, which all clients share.
struct Catalogue: SharingModule {
    /// The maximum price in cents. With this bound, the sum of a bill can't overflow.
    static let centsMax = 1_000_000

    struct State: ModuleState {
        /// Prices in cents, by article.
        var prices = ["tea": 450, "cup": 1_200]
    }

    enum Action: ModuleAction {
        case priced(article: String, cents: Int)
        case withdrawn(article: String)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .priced(let article, let cents):
            guard (1...Self.centsMax).contains(cents) else {
                throw Refusal(reason: "A price is 1 to \(Self.centsMax) cents.", pointer: "/cents")
            }
            state.prices[article] = cents
        case .withdrawn(let article):
            state.prices[article] = nil
        }
    }

    func share(_ state: State) -> [String: Int] { state.prices }
}

/// The cart of a visitor: a slice for each session. The cart reads the prices.
struct Cart: Module {
    /// The maximum number of pieces of one article.
    static let piecesMax = 100

    struct State: ModuleState {
        var pieces: [String: Int] = [:]
        var prices = Shared<[String: Int]>()
    }

    enum Action: ModuleAction {
        case added(article: String, pieces: Int)
        case emptied
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .added(let article, let pieces):
            guard state.prices.value?[article] != nil else {
                throw Refusal(reason: "There is no article '\(article)'.", pointer: "/article")
            }
            let (sum, isTooLarge) = state.pieces[article, default: 0].addingReportingOverflow(
                pieces
            )
            guard !isTooLarge, (0...Self.piecesMax).contains(sum) else {
                throw Refusal(reason: "A cart has 0 to \(Self.piecesMax) of one article.")
            }
            state.pieces[article] = sum == 0 ? nil : sum
        case .emptied:
            state.pieces = [:]
        }
    }
}

/// The sales to all visitors together.
struct Sales: Module {
    struct State: ModuleState {
        var orders = 0
        var cents = 0
    }
}

/// Buys the content of the cart at today's prices. This action of the whole state empties the cart
/// of its session, and adds to the sales, in a single version.
struct Checkout: StateUpdater {
    func updateState(_ state: inout AppState) throws {
        guard let bill = BillViewModel(state: state), bill.cents > 0 else {
            throw Refusal(reason: "There is nothing in the cart that is sold.")
        }
        state.sales.orders += 1
        state.sales.cents += bill.cents
        state.cart.value.pieces = [:]
    }
}

/// The bill of one visitor at today's prices, without withdrawn articles.
struct BillViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Cart.self]

    let lines: [String]
    let cents: Int

    init?(state: AppState) {
        let cart = state.cart.value
        let priced = cart.pieces.sorted { $0.key < $1.key }.compactMap { article, pieces in
            cart.prices.value?[article].map { (article, pieces, cents: pieces * $0) }
        }
        lines = priced.map { "\($0.1) × \($0.0)" }
        cents = priced.reduce(0) { $0 + $1.cents }
    }
}

struct AppState: RootState {
    var catalogue = Catalogue.State()
    var cart = PerSession(Cart.State())
    var sales = Sales.State()
    var sessions = Sessions.State()

    static let modules: Modules = [
        Catalogue().at(\.catalogue),
        Cart().at(\.cart).reading(\Cart.State.prices, of: Catalogue.self),
        Sales().at(\.sales),
        Sessions().at(\.sessions),
    ]
    static let dispatchables: Dispatchables = [Checkout.self]
    static let views: Views = [BillViewModel.self]
}

@main
struct App {
    static func main() { Server(AppState.self, name: "shop").main() }
}
