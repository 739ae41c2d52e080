/// The requests whose outcome is there, and that the loop's thread has not gone on with.
///
/// After the loop's end it takes none: a request has the loop, and would keep it for good.
struct FinishedExchanges {
    var exchanges: [HTTPExchange] = []
    private var isOpen = true

    mutating func add(_ exchange: HTTPExchange) {
        if isOpen { exchanges.append(exchange) }
    }

    /// Drops what is there, and what comes.
    mutating func close() {
        isOpen = false
        exchanges = []
    }
}
