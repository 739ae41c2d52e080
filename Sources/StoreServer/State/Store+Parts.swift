import HTTPTransport
import Wire

extension Store {
    /// Answers a request with a part of a version, or with 304 where the client has that version.
    ///
    /// On the event loop where that costs little. Another thread parses or puts together a large slice,
    /// once for a version, and paces large answers.
    ///
    /// - Parameter isConditional: whether `If-None-Match` is looked at.
    /// - Throws: 404 where the part is not there.
    func answer(
        _ request: RequestContext,
        with pointer: JSONPointer,
        of snapshot: Snapshot,
        isConditional: Bool,
        orElse missing: MissingPart
    ) throws(Problem) {
        let isKnown = isConditional && isKnown(snapshot, to: request.exchange)
        if isKnown, pointer == .root { return request.exchange.respondNotModified(snapshot) }
        let workspace = request.exchange.workspace
        switch publisher.documents.quickPart(at: pointer, in: snapshot, workspace) {
        case .nowhere: throw missing.problem
        case .later:
            request.exchange.suspend()
            complete(request, with: pointer, of: snapshot, isKnown: isKnown, orElse: missing)
        case .bytes where isKnown, .node where isKnown:
            request.exchange.respondNotModified(snapshot)
        case .bytes(let bytes):
            request.exchange.respond {
                $0.add(HTTPFields.json)
                $0.add(of: snapshot)
                $0.sharedBody = bytes
            }
        case .node(let node):
            request.exchange.respond {
                $0.add(HTTPFields.json)
                $0.add(of: snapshot)
                $0.body.raw(node.source)
            }
        }
    }

    /// Answers a request that was put off. Any thread; wakes the event loop.
    ///
    /// - Parameter isKnown: whether the client has this version, if the part is there.
    func complete(
        _ request: RequestContext,
        with pointer: JSONPointer,
        of snapshot: Snapshot,
        isKnown: Bool = false,
        orElse missing: MissingPart
    ) {
        let answer = { @Sendable [self] (part: Bytes?) -> Result<HTTPResponse, Problem> in
            guard let part else { return .failure(missing.problem) }
            return .success(isKnown ? notModified(snapshot) : response(with: part, of: snapshot))
        }
        switch publisher.documents.quickPart(at: pointer, in: snapshot, JSONWorkspace()) {
        case .bytes(let bytes): return request.complete(answer(bytes))
        case .node(let node): return request.complete(answer(Bytes(node.source)))
        case .nowhere: return request.complete(answer(nil))
        case .later: break
        }
        let isTaken = reading.submitAnswer { [self] in
            let part = publisher.documents.part(at: pointer, in: snapshot)
            request.complete(answer(part))
            return part?.count ?? 0
        }
        if !isTaken {
            request.complete(.failure(.overloaded("enough reads of the state wait already")))
        }
    }

    /// The answer to a client that has this version.
    func notModified(_ snapshot: Snapshot) -> HTTPResponse {
        HTTPResponse(status: 304, headers: headers(snapshot))
    }

    /// The answer with a part of a version.
    func response(with part: Bytes, of snapshot: Snapshot) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json")] + headers(snapshot),
            body: .shared(part)
        )
    }

    /// - Throws: 412 where `If-Match` names other versions than this (RFC 9110 §13.1.1).
    func require(version: @autoclosure () -> UInt64, asIn exchange: HTTPExchange) throws(Problem) {
        guard exchange.has("if-match") else { return }
        let tag = Tag(epoch: publisher.epoch, version: version())
        guard let condition = EntityTagCondition(exchange.headerList("if-match") ?? "") else {
            throw .badHeader(
                "If-Match",
                allowed: "* or quoted tags such as \(tag.etag)"
            )
        }
        guard condition.matchesStrongly(EntityTag(opaque: tag.description)) else {
            throw .versionMismatch(current: tag)
        }
    }

    /// Whether a client has this version, as its `If-None-Match` says.
    func isKnown(_ snapshot: Snapshot, _ known: String?) -> Bool {
        guard let known, let condition = EntityTagCondition(known) else { return false }
        return condition.matchesWeakly(EntityTag(opaque: snapshot.tag.description))
    }

    /// Whether a client has this version, as the `If-None-Match` of its request says.
    private func isKnown(_ snapshot: Snapshot, to exchange: HTTPExchange) -> Bool {
        guard exchange.has("if-none-match") else { return false }
        return exchange.header("if-none-match", is: snapshot.etag)
            || isKnown(snapshot, exchange.headerList("if-none-match"))
    }

    private func headers(_ snapshot: Snapshot) -> [(String, String)] {
        [("ETag", snapshot.etag), ("Cache-Control", "no-cache")]
    }
}

extension HTTPExchange {
    fileprivate func respondNotModified(_ snapshot: Snapshot) {
        respond {
            $0.status = 304
            $0.add(of: snapshot)
        }
    }
}

extension HTTPAnswerWriter {
    /// Adds what says which version an answer has.
    fileprivate mutating func add(of snapshot: Snapshot) {
        add(HTTPFields.revalidated)
        add("ETag") { $0.text(snapshot.etag) }
    }
}

extension HTTPFields {
    fileprivate static let json = HTTPFields([("Content-Type", "application/json")])
    fileprivate static let revalidated = HTTPFields([("Cache-Control", "no-cache")])
}

/// What a client is told that asks for a part that is nowhere.
enum MissingPart: Sendable {
    case pointer(JSONPointer)
    case path(String)

    var problem: Problem {
        switch self {
        case .pointer(let pointer): .notFound(pointer: pointer.description)
        case .path(let path): .notFound(path: path)
        }
    }
}

/// A part of a version that was looked for where that costs little.
enum QuickPart {
    case bytes(Bytes)
    /// In a small document, which was parsed for this.
    case node(JSONNode)
    case nowhere
    /// It is large, or a large slice has to be parsed first, or put together.
    case later
}

extension ParsedDocuments {
    /// The part of a version that a pointer leads to, where that costs little.
    ///
    /// - Parameter workspace: where a small document is parsed.
    func quickPart(
        at pointer: JSONPointer,
        in snapshot: Snapshot,
        _ workspace: JSONWorkspace
    ) -> QuickPart {
        guard snapshot.isAtHand(pointer) else { return .later }
        switch snapshot.place(of: pointer) {
        case .found(nil): return .nowhere
        case .found(let bytes?):
            return bytes.isPaced ? .later : .bytes(bytes)
        case .within(let bytes, let pointer):
            if bytes.isInPieces { return .later }
            if bytes.count < Self.keptBytesMin {
                let document = bytes.withUnsafeBytes {
                    try? workspace.parse($0, limits: .unbounded)
                }
                return document.flatMap { pointer.find(in: $0) }.map { .node($0) } ?? .nowhere
            }
            guard let document = ready(bytes) else { return .later }
            guard let part = document.part(at: pointer) else { return .nowhere }
            return part.isPaced ? .later : .bytes(part)
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

extension Bytes {
    fileprivate var isPaced: Bool { count >= ReaderPace.answerBytesMin }
}
