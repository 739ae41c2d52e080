import StoreCore
import StoreTesting
import Testing

@testable import Shop

@Test func `the catalogue has prices that can be paid`() {
    Given(Catalogue(), Catalogue.State(prices: [:]))
        .when(.priced(article: "pot", cents: 1)) { $0.prices = ["pot": 1] }
    for cents in [0, .max] {
        Given(Catalogue(), Catalogue.State())
            .when(
                .priced(article: "pot", cents: cents),
                refused: "A price is 1 to 1000000 cents.",
                pointer: "/cents"
            )
    }
    Given(Catalogue(), Catalogue.State(prices: ["pot": 1]))
        .when(.withdrawn(article: "pot")) { $0.prices = [:] }
}

@Test func `a cart has the prices of the day`() async {
    let store = TestStore(AppState())
    await store.send(Cart.Action.added(article: "tea", pieces: 3)) {
        $0.cart["shared"].pieces = ["tea": 3]
    }
    #expect(BillViewModel(state: store.state)?.cents == 1_350)

    // The store gives each cart the prices by itself, so the test does not state this change.
    await store.send(Catalogue.Action.priced(article: "tea", cents: 500)) {
        $0.catalogue.prices["tea"] = 500
    }
    #expect(BillViewModel(state: store.state)?.cents == 1_500)
    await store.send(Catalogue.Action.withdrawn(article: "tea")) {
        $0.catalogue.prices["tea"] = nil
    }
    #expect(BillViewModel(state: store.state)?.lines == [])
    await store.finish()
}

@Test func `a cart has what there is, and not too much of it`() {
    let cart = Cart.State(pieces: ["tea": 2], prices: Shared(["tea": 450, "cup": 1_200]))
    let given = Given(Cart(), cart)
    given.when(.added(article: "pot", pieces: 1), refused: "There is no article 'pot'.")
    for pieces in [-3, 99, .max] {
        given.when(
            .added(article: "tea", pieces: pieces),
            refused: "A cart has 0 to 100 of one article."
        )
    }
    given.when(.added(article: "cup", pieces: 1)) { $0.pieces["cup"] = 1 }
    given.when(.added(article: "tea", pieces: -2)) { $0.pieces = [:] }
    given.when(.emptied) { $0.pieces = [:] }
}

@Test func `a checkout empties the cart and adds to the sales, in one step`() async {
    let store = TestStore(AppState())
    await store.send(Cart.Action.added(article: "tea", pieces: 2)) {
        $0.cart["shared"].pieces = ["tea": 2]
    }
    await store.send(Checkout()) {
        $0.cart["shared"].pieces = [:]
        $0.sales = Sales.State(orders: 1, cents: 900)
    }
    await store.finish()
    Given(AppState()).when(Checkout(), refused: "There is nothing in the cart that is sold.")
}
