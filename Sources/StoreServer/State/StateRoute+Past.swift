import HTTPTransport
import StoreCore
import Wire

extension StateRoute {
    /// Answers what the state was at a version (protocol 3.3), or which action last changed it.
    func past(
        _ exchange: HTTPExchange,
        _ pointer: JSONPointer,
        version: UInt64?,
        blame: Bool
    ) throws(Problem) {
        let current = store.publisher.snapshot
        let version = version ?? current.version
        guard version <= current.version else {
            throw .notFound(version: version, newest: current.version)
        }
        if version == current.version, !blame {
            return answer(exchange, pointer, of: current, isConditional: true)
        }
        let known = exchange.headerList("if-none-match")
        exchange.suspend()
        let submitted =
            blame
            ? store.timeTravel.blame(pointer, at: version) { [self] found in
                finish(exchange, found.map { response(to: pointer, $0, at: version) })
            }
            : store.timeTravel.snapshot(at: version) { [self] snapshot in
                finish(exchange, snapshot.map { response(to: pointer, of: $0, unless: known) })
            }
        if !submitted {
            finish(exchange, .failure(.overloaded("enough versions are being made again already")))
        }
    }

    private func finish(_ exchange: HTTPExchange, _ answer: Result<HTTPResponse, Problem>) {
        switch answer {
        case .success(let response): exchange.complete(response)
        case .failure(let problem): exchange.complete(problem.response(for: RequestID.next()))
        }
        store.wake()
    }

    private func response(
        to pointer: JSONPointer,
        of snapshot: Snapshot,
        unless known: String?
    ) -> HTTPResponse {
        if store.isKnown(snapshot, known) { return store.notModified(snapshot) }
        return store.response(
            with: snapshot.part(at: pointer),
            of: snapshot,
            orElse: .pointer(pointer)
        )
    }

    private func response(
        to pointer: JSONPointer,
        _ blame: Blame,
        at version: UInt64
    ) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("epoch", store.publisher.epochText)
            body.member("version", version)
            body.member("pointer", pointer.description)
            body.key("changedBy")
            if let record = blame.record {
                body.object { action in
                    action.member("version", record.version)
                    action.member("type", record.type)
                    action.member("time", CivilTime(nanosecondsSince1970: record.time).rfc3339())
                    if let principal = record.principal { action.member("principal", principal) }
                }
            } else {
                body.null()
            }
            body.member("searchedAfter", blame.after)
            body.member("complete", blame.isComplete)
        }
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(writer.array)
        )
    }
}
