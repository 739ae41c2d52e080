import HTTPTransport
import Wire

/// `GET /state` and `GET /state/<pointer>`: the published state or a part of it, now, as it was, or as
/// soon as there is news.
struct StateRoute<State: Codable & Equatable & Sendable>: Route {
    /// The longest time that a long poll may wait.
    static var waitSecondsMax: UInt64 { UInt64(ClientWait.secondsMax) }

    let methods = ["GET", "HEAD"]
    let store: Store<State>

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: ["version", "blame", "after", "wait"])
        guard let pointer = JSONPointer(path: rest) else {
            throw .badRequest("'\(rest)' is no JSON Pointer (RFC 6901).")
        }
        let after: UInt64?
        let wait: UInt64?
        let version: UInt64?
        let blame: Bool
        do {
            after = try query.number("after")
            wait = try query.number("wait", max: Self.waitSecondsMax)
            version = try query.number("version")
            blame = try query.flag("blame")
        } catch {
            throw .badRequest(error.detail)
        }
        if version != nil || blame {
            guard after == nil, wait == nil else {
                throw .badRequest("What is past can't be waited for: leave after and wait out.")
            }
            try past(exchange, pointer, version: version, blame: blame)
            return
        }
        if wait != nil, after == nil {
            throw .badRequest("wait needs to know what you have: give after=<version> too.")
        }
        guard let after else {
            return answer(exchange, pointer, of: store.publisher.snapshot, isConditional: true)
        }
        poll(exchange, pointer, after: after, seconds: wait ?? 0)
    }

    /// Answers as soon as the version is greater than `after`, or 304 when the time is over or the
    /// client has closed its side.
    private func poll(
        _ exchange: HTTPExchange,
        _ pointer: JSONPointer,
        after: UInt64,
        seconds: UInt64
    ) {
        let current = store.publisher.snapshot
        guard current.version <= after else {
            return answer(exchange, pointer, of: current, isConditional: false)
        }
        guard seconds > 0 else { return exchange.respond(store.notModified(current)) }
        // A poll for the state needs no session; the one that is shown lives meanwhile.
        let hold = store.hold(try? store.sessions(of: exchange).first)
        exchange.suspend()
        let waiter = LongPolls.Waiter(after: after) { [self] news in
            hold?.end()
            guard let news else {
                exchange.complete(store.notModified(store.publisher.snapshot))
                return store.wake()
            }
            store.complete(exchange, with: pointer, of: news, orElse: .pointer(pointer))
        }
        guard let id = store.waiters.add(waiter, unless: { store.publisher.snapshot }) else {
            return
        }
        exchange.whenClientLeaves { [waiters = store.waiters] in
            waiters.expire(id)
        }
        let timer = store.schedule(after: Double(seconds)) { [waiters = store.waiters] in
            waiters.expire(id)
        }
        if let timer { store.waiters.end(timer, with: id) }
    }

    func answer(
        _ exchange: HTTPExchange,
        _ pointer: JSONPointer,
        of snapshot: Snapshot,
        isConditional: Bool
    ) {
        store.answer(
            exchange,
            with: pointer,
            of: snapshot,
            isConditional: isConditional,
            orElse: .pointer(pointer)
        )
    }
}
