import StoreCore
import StoreHTTPTransport
import StoreJSON
import StorePublishing
import StoreWire

enum StateAnswer {
    /// Answers a request with a part of the state. A conditional request is answered with 304 if
    /// the client has the part's version.
    ///
    /// A small answer is made on the event loop. For a large answer, another thread parses or
    /// assembles the state, and pauses between large answers.
    ///
    /// - Throws: 404 if the part does not exist.
    static func answer(
        _ request: RequestContext,
        with pointer: JSONPointer,
        of state: VisibleState,
        by reader: StateReader,
        isConditional: Bool = true,
        orElse missing: MissingPart
    ) throws(Problem) {
        let isKnown = isConditional && isKnown(state, to: request.exchange)
        if isKnown, pointer == .root { return request.exchange.respondNotModified(state) }
        switch state.quickPart(at: pointer, request.exchange.workspace) {
        case .nowhere: throw missing.problem
        case .notQuick:
            request.exchange.suspend()
            complete(
                request,
                with: pointer,
                of: state,
                by: reader,
                isKnown: isKnown,
                orElse: missing
            )
        case .bytes where isKnown, .node where isKnown:
            request.exchange.respondNotModified(state)
        case .bytes(let bytes):
            request.exchange.respond {
                $0.add(HTTPFields.json)
                $0.addValidators(of: state)
                $0.sharedBody = bytes
            }
        case .node(let node):
            request.exchange.respond {
                $0.add(HTTPFields.json)
                $0.addValidators(of: state)
                $0.body.raw(node.source)
            }
        }
    }

    /// Answers a suspended request. If the part exists and the client has this version (`isKnown`),
    /// the answer is 304. Any thread may call this function, which wakes the event loop.
    static func complete(
        _ request: RequestContext,
        with pointer: JSONPointer,
        of state: VisibleState,
        by reader: StateReader,
        isKnown: Bool = false,
        orElse missing: MissingPart
    ) {
        let answer = { @Sendable (part: Bytes?) -> Result<HTTPResponse, Problem> in
            guard let part else { return .failure(missing.problem) }
            return .success(isKnown ? notModified(state) : response(with: part, of: state))
        }
        switch state.quickPart(at: pointer, JSONWorkspace()) {
        case .bytes(let bytes): return request.complete(answer(bytes))
        case .node(let node): return request.complete(answer(Bytes(node.source)))
        case .nowhere: return request.complete(answer(nil))
        case .notQuick: break
        }
        let isTaken = reader.threads.largeAnswers.submitAnswer {
            let part = state.part(at: pointer)
            request.complete(answer(part))
            return part?.count ?? 0
        }
        if !isTaken { request.complete(.failure(.overloaded("too many state reads wait already"))) }
    }

    static func notModified(_ state: VisibleState) -> HTTPResponse {
        HTTPResponse(status: 304, headers: headers(state))
    }

    static func response(
        with part: Bytes,
        of state: VisibleState,
        adding fields: [(String, String)] = []
    ) -> HTTPResponse {
        let headers = [("Content-Type", "application/json")] + headers(state) + fields
        return HTTPResponse(status: 200, headers: headers, body: .shared(part))
    }

    /// Checks `If-Match` against a version (RFC 9110 §13.1.1). A tag matches if the caller's part
    /// of the state has not changed since the tag's version.
    ///
    /// - Throws: 412 if no tag matches, 400 for a malformed header.
    static func checkIfMatch(
        _ state: @autoclosure () -> VisibleState,
        of exchange: HTTPExchange
    ) throws(Problem) {
        guard exchange.hasHeader("if-match") else { return }
        let state = state()
        try checkIfMatch(state.tag, of: exchange) { state.isUnchanged(since: $0) }
    }

    /// Checks `If-Match` against a past version. Only the exact tag matches.
    ///
    /// - Throws: 412 if no tag matches, 400 for a malformed header.
    static func checkIfMatch(past tag: Tag, of exchange: HTTPExchange) throws(Problem) {
        guard exchange.hasHeader("if-match") else { return }
        try checkIfMatch(tag, of: exchange) { $0.opaqueTag.isSame(as: tag.description) }
    }

    private static func checkIfMatch(
        _ tag: Tag,
        of exchange: HTTPExchange,
        _ isSame: (EntityTag) -> Bool
    ) throws(Problem) {
        guard let condition = EntityTagCondition(exchange.headerList("if-match") ?? "") else {
            throw .badHeader("If-Match", allowed: "* or quoted tags such as \(tag.etag)")
        }
        guard condition.isMet(by: { !$0.isWeak && isSame($0) }) else {
            throw .versionMismatch(current: tag)
        }
    }

    /// True if a client has this version. `known` is the value of the client's `If-None-Match`.
    static func isKnownToClient(_ state: VisibleState, ifNoneMatch known: String?) -> Bool {
        known.flatMap { EntityTagCondition($0) }?.isMet { state.isUnchanged(since: $0) } == true
    }

    /// True if a client has exactly this version. `known` is the value of the client's
    /// `If-None-Match`.
    static func isKnownToClient(exactly tag: Tag, ifNoneMatch known: String?) -> Bool {
        let condition = known.flatMap { EntityTagCondition($0) }
        return condition?.isMet { $0.opaqueTag.isSame(as: tag.description) } == true
    }

    /// True if a client has this version, according to the `If-None-Match` of its request.
    private static func isKnown(_ state: VisibleState, to exchange: HTTPExchange) -> Bool {
        guard exchange.hasHeader("if-none-match") else { return false }
        var etag = state.etag
        let isSame = etag.withUTF8 { etag in
            exchange.withHeader("if-none-match") {
                $0.hasSameBytes(as: UnsafeRawBufferPointer(etag))
            }
        }
        return isSame == true
            || isKnownToClient(state, ifNoneMatch: exchange.headerList("if-none-match"))
    }

    private static func headers(_ state: VisibleState) -> [(String, String)] {
        state.isPrivate
            ? [
                ("ETag", state.etag), ("Cache-Control", "private, no-cache"),
                ("Vary", "Authorization, Cookie"),
            ] : [("ETag", state.etag), ("Cache-Control", "no-cache")]
    }
}

extension HTTPExchange {
    fileprivate func respondNotModified(_ state: VisibleState) {
        respond {
            $0.status = 304
            $0.addValidators(of: state)
        }
    }
}

extension HTTPAnswerWriter {
    /// Adds the header fields with the answer's version and the rules for caches.
    fileprivate mutating func addValidators(of state: VisibleState) {
        add(state.isPrivate ? HTTPFields.revalidatedPrivately : HTTPFields.revalidated)
        add("ETag") { $0.rawText(state.etag) }
    }
}

extension HTTPFields {
    fileprivate static let json = HTTPFields([("Content-Type", "application/json")])
    fileprivate static let revalidated = HTTPFields([("Cache-Control", "no-cache")])
    fileprivate static let revalidatedPrivately = HTTPFields([
        ("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Cookie"),
    ])
}

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
