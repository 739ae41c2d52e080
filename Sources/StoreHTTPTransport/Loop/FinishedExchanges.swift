/// The exchanges that have an outcome, and wait for the loop's thread.
///
/// After the end of the loop, exchanges are dropped: an exchange holds the loop, and a reference
/// cycle would keep both for good.
struct FinishedExchanges {
    var exchanges: [HTTPExchange] = []
    private var isOpen = true

    mutating func add(_ exchange: HTTPExchange) {
        if isOpen { exchanges.append(exchange) }
    }

    /// Drops the waiting exchanges, and all that come later.
    mutating func close() {
        isOpen = false
        exchanges = []
    }
}
