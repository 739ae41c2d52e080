import HTTPTransport
import Wire

extension Store {
    /// Answers a request with a part of a version, or with 304 where the client has that version.
    ///
    /// On the event loop where that costs little; a large slice that has to be parsed or put together
    /// first is handed to another thread. Either is done once for a version.
    func answer(
        _ exchange: HTTPExchange,
        with pointer: JSONPointer,
        of snapshot: Snapshot,
        unless known: String? = nil,
        orElse missing: @autoclosure @escaping @Sendable () -> Problem
    ) {
        if isKnown(snapshot, known) { return exchange.respond(notModified(snapshot)) }
        if let part = publisher.documents.quickPart(at: pointer, in: snapshot) {
            return exchange.respond(response(with: part, of: snapshot, orElse: missing))
        }
        exchange.suspend()
        complete(exchange, with: pointer, of: snapshot, orElse: missing())
    }

    /// Answers a request that was put off. Any thread; wakes the event loop.
    func complete(
        _ exchange: HTTPExchange,
        with pointer: JSONPointer,
        of snapshot: Snapshot,
        orElse missing: @autoclosure @escaping @Sendable () -> Problem
    ) {
        if let part = publisher.documents.quickPart(at: pointer, in: snapshot) {
            exchange.complete(response(with: part, of: snapshot, orElse: missing))
            return wake()
        }
        let isTaken = reading.submit { [self] in
            let part = publisher.documents.part(at: pointer, in: snapshot)
            // In one piece, so that the event loop finds it so.
            part?.withUnsafeBytes { _ in }
            exchange.complete(response(with: part, of: snapshot, orElse: missing))
            wake()
        }
        guard !isTaken else { return }
        let problem = Problem.overloaded("enough reads of the state wait already")
        exchange.complete(problem.response(for: RequestID.next()))
        wake()
    }

    /// The answer to a client that has this version.
    func notModified(_ snapshot: Snapshot) -> HTTPResponse {
        HTTPResponse(status: 304, headers: headers(snapshot))
    }

    /// The answer with a part of a version.
    func response(
        with part: Bytes?,
        of snapshot: Snapshot,
        orElse missing: () -> Problem
    ) -> HTTPResponse {
        guard let part else { return missing().response(for: RequestID.next()) }
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json")] + headers(snapshot),
            body: .shared(part)
        )
    }

    /// Whether a client has this version, as its `If-None-Match` says.
    func isKnown(_ snapshot: Snapshot, _ known: String?) -> Bool {
        guard let known, let condition = EntityTagCondition(known) else { return false }
        return condition.matchesWeakly(EntityTag(opaque: snapshot.tag.description))
    }

    private func headers(_ snapshot: Snapshot) -> [(String, String)] {
        [("ETag", snapshot.etag), ("Cache-Control", "no-cache")]
    }
}

extension ParsedDocuments {
    /// The part of a version that a pointer leads to, where that costs little.
    ///
    /// - Returns: `nil` where a large slice has to be parsed first, or put together.
    func quickPart(at pointer: JSONPointer, in snapshot: Snapshot) -> Bytes?? {
        guard snapshot.isAtHand(pointer) else { return nil }
        switch snapshot.place(of: pointer) {
        case .found(let bytes):
            return bytes?.isInPieces == true ? nil : .some(bytes)
        case .within(let bytes, let pointer):
            guard !bytes.isInPieces else { return nil }
            return ready(bytes).map { $0.part(at: pointer) }
        }
    }

    /// The same, however long it takes. Any thread but the event loop's and the Core's.
    func part(at pointer: JSONPointer, in snapshot: Snapshot) -> Bytes? {
        switch snapshot.place(of: pointer) {
        case .found(let bytes): bytes
        case .within(let bytes, let pointer): document(of: bytes)?.part(at: pointer)
        }
    }
}
