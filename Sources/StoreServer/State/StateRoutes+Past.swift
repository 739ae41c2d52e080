import HTTPTransport
import StoreCore
import Wire

extension StateRoutes {
    /// Answers what the state was at a version (protocol 3.3), or which action last changed it.
    func past(
        _ request: RequestContext,
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
            return try show(request, pointer, of: current, isConditional: true)
        }
        let known = request.exchange.headerList("if-none-match")
        request.exchange.suspend()
        let submitted =
            blame
            ? store.timeTravel.blame(pointer, at: version) { [self] found in
                request.complete(found.map { response(to: pointer, $0, at: version) })
            }
            : store.timeTravel.snapshot(at: version) { [self] snapshot in
                request.complete(snapshot.flatMap { response(to: pointer, of: $0, unless: known) })
            }
        if !submitted {
            request.complete(.failure(.overloaded("enough versions are being made again already")))
        }
    }

    private func response(
        to pointer: JSONPointer,
        of snapshot: Snapshot,
        unless known: String?
    ) -> Result<HTTPResponse, Problem> {
        guard let part = snapshot.part(at: pointer) else {
            return .failure(.notFound(pointer: pointer.description))
        }
        let isKnown = store.isKnown(snapshot, known)
        return .success(
            isKnown ? store.notModified(snapshot) : store.response(with: part, of: snapshot)
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
