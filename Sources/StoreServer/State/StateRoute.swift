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
            let known = exchange.headerList("if-none-match")
            exchange.respond(response(to: pointer, of: store.publisher.snapshot, unless: known))
            return
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
        guard current.version <= after, seconds > 0 else {
            exchange.respond(
                current.version > after
                    ? response(to: pointer, of: current, unless: nil)
                    : notModified(current)
            )
            return
        }
        // Whoever polls for the state needs no session; one that is shown lives meanwhile.
        let hold = store.hold(try? store.sessions(of: exchange).first)
        exchange.suspend()
        let waiter = LongPolls.Waiter(after: after) { [self] news in
            hold?.end()
            exchange.complete(
                news.map { response(to: pointer, of: $0, unless: nil) }
                    ?? notModified(store.publisher.snapshot)
            )
            store.wake()
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

    func response(
        to pointer: JSONPointer,
        of snapshot: Snapshot,
        unless known: String?
    ) -> HTTPResponse {
        if let known, let condition = EntityTagCondition(known),
            condition.matchesWeakly(EntityTag(opaque: snapshot.tag.description))
        {
            return notModified(snapshot)
        }
        guard pointer != .root else {
            return HTTPResponse(
                status: 200,
                headers: headers(snapshot, json: true),
                body: .shared(snapshot.state)
            )
        }
        guard let part = snapshot.part(at: pointer) else {
            return Problem.notFound(pointer: pointer.description).response(for: RequestID.next())
        }
        return HTTPResponse(
            status: 200,
            headers: headers(snapshot, json: true),
            body: .shared(part)
        )
    }

    private func notModified(_ snapshot: Snapshot) -> HTTPResponse {
        HTTPResponse(status: 304, headers: headers(snapshot, json: false), body: .none)
    }

    private func headers(_ snapshot: Snapshot, json: Bool) -> [(String, String)] {
        let common = [("ETag", snapshot.etag), ("Cache-Control", "no-cache")]
        return json ? [("Content-Type", "application/json")] + common : common
    }
}
