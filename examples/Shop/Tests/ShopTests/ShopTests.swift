import StoreTesting
import Testing

@testable import Shop

@Test func `the catalogue has prices of more than 0`() {
    Given(Catalogue(), Catalogue.State(prices: [:]))
        .when(.priced(article: "pot", cents: 1)) { $0.prices = ["pot": 1] }
    Given(Catalogue(), Catalogue.State())
        .when(
            .priced(article: "pot", cents: 0),
            refused: "A price is more than 0.",
            pointer: "/cents"
        )
    Given(Catalogue(), Catalogue.State(prices: ["pot": 1]))
        .when(.withdrawn(article: "pot")) { $0.prices = [:] }
}

@Test func `a cart has the prices of the day`() async {
    let store = TestStore(AppState())
    await store.send(Cart.Action.added(article: "tea", pieces: 3)) {
        $0.cart["shared"].pieces = ["tea": 3]
    }
    #expect(BillViewModel(state: store.state)?.cents == 1_350)

    // The prices of the cart are a copy that the store makes, so no test can write them.
    store.exhaustivity = .off
    await store.send(Catalogue.Action.priced(article: "tea", cents: 500))
    #expect(BillViewModel(state: store.state)?.cents == 1_500)
    await store.send(Catalogue.Action.withdrawn(article: "tea"))
    #expect(BillViewModel(state: store.state)?.lines == [])
    await store.finish()
}

@Test func `a cart has what there is, and not too much of it`() async {
    let store = TestStore(AppState())
    let tooMany = "A cart has 0 to 100 of one article."
    await store.send(
        Cart.Action.added(article: "unicorn", pieces: 1),
        refused: "There is no article 'unicorn'."
    )
    for pieces in [-1, 101, .max] {
        await store.send(Cart.Action.added(article: "tea", pieces: pieces), refused: tooMany)
    }
    await store.send(Cart.Action.added(article: "tea", pieces: 2)) {
        $0.cart["shared"].pieces = ["tea": 2]
    }
    await store.send(Cart.Action.added(article: "tea", pieces: -2)) {
        $0.cart["shared"].pieces = [:]
    }
    await store.send(Cart.Action.added(article: "cup", pieces: 1)) {
        $0.cart["shared"].pieces = ["cup": 1]
    }
    await store.send(Cart.Action.emptied) { $0.cart["shared"].pieces = [:] }
    await store.finish()
}
