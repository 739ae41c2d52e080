import StoreHTTP

extension Simulation {
    /// Sends a request to the other store in the process, from a client or without a session. The
    /// request must have its result, and no other. The check after each step shows that this store
    /// has not changed.
    func askNeighbour(_ chance: inout Chance) throws {
        let neighbour = server.neighbour
        if chance.happens(1, in: 2) {
            let amounts = (0...chance.below(3)).map { _ in chance.below(9) - 1 }
            let isDryRun = chance.happens(1, in: 4)
            // An address has one share for all stores of a process.
            let isLimited = !take(amounts.count, by: nil)
            let isApplied = isDryRun || isLimited ? false : neighbour.expect(amounts)
            let isRefused = amounts.contains(-1)
            let members = amounts.map { #"{"type":"Added","payload":{"amount":\#($0)}}"# }
            let status = try answer(
                "POST",
                Neighbour.links.dispatch + (isDryRun ? "?dry-run=true" : ""),
                Array("[\(members.joined(separator: ","))]".utf8),
                &chance
            ).status
            let expected = isLimited ? 429 : isRefused ? 409 : 200
            guard status == expected, isApplied || isRefused || isDryRun || isLimited else {
                throw Violation(.neighbour, "\(amounts) is answered with \(status)")
            }
        }
        let (status, body) = try answer("GET", Neighbour.links.state, [], &chance)
        let text = #"{"total":\#(neighbour.expected.total)}"#
        guard status == 200, body == Array(text.utf8) else {
            throw Violation(.neighbour, "it has \(Bytewise(body)), and not \(text)")
        }
        let log = try answer("GET", Neighbour.links.actions + "?limit=1", [], &chance).body
        let version = #""version":\#(neighbour.version),"#
        guard String(decoding: log, as: UTF8.self).contains(version) else {
            throw Violation(.neighbour, "its log is \(Bytewise(log)), and not at \(version)")
        }
    }

    private func answer(
        _ method: String,
        _ target: String,
        _ body: [UInt8],
        _ chance: inout Chance
    ) throws -> (status: Int, body: [UInt8]) {
        let client = clients.isEmpty || chance.happens(1, in: 2) ? nil : chance.pick(clients)
        note("  \(method) \(target) as \(client?.name ?? "no client with a session")")
        let exchange = try server.send(method, target, headers: cookie(client), body: body)
        try turnCore()
        guard server.wait(for: exchange) else {
            throw Violation(.neighbour, "no answer: \(target)")
        }
        server.collect()
        guard case .response(let status, let body)? = exchange.answer else {
            throw Violation(.neighbour, "no answer: \(target)")
        }
        return (status, body)
    }
}
