import StoreCore
import StoreHTTPTransport
import StoreHistory
package import StoreWire

extension StateRoutes {
    /// Answers with the state at a past version (protocol 3.3), or with the action that last
    /// changed it.
    package func past(
        _ request: RequestContext,
        _ pointer: JSONPointer,
        version: UInt64?,
        blame: Bool
    ) throws(Problem) {
        let (reader, caller) = (store.reader, try request.caller())
        let current = reader.state(for: caller)
        let version = version ?? current.version
        guard version <= current.version else {
            throw .notFound(version: version, newest: current.version)
        }
        if version == current.version, !blame {
            return try show(request, pointer, of: current, isConditional: true)
        }
        let known = request.exchange.headerList("if-none-match")
        request.respond(
            on: reader.threads.past,
            orBusy: "enough versions are being made again already"
        ) { [self] () throws(Problem) in
            if blame {
                let found = try reader.blame(pointer, at: version, for: caller)
                return response(to: pointer, found, at: version)
            }
            let state = try reader.state(at: version, for: caller)
            return try response(to: pointer, of: state, unless: known)
        }
    }

    private func response(
        to pointer: JSONPointer,
        of state: VisibleState,
        unless known: String?
    ) throws(Problem) -> HTTPResponse {
        guard let part = state.part(at: pointer) else {
            throw .notFound(pointer: pointer.description)
        }
        return StateAnswer.isKnown(state, known)
            ? StateAnswer.notModified(state) : StateAnswer.response(with: part, of: state)
    }

    private func response(
        to pointer: JSONPointer,
        _ blame: Blame,
        at version: UInt64
    ) -> HTTPResponse {
        var writer = JSONWriter()
        writer.object { body in
            body.member("epoch", store.reader.epochText)
            body.member("version", version)
            body.member("pointer", pointer.description)
            body.key("changedBy")
            if let record = blame.record {
                body.object { action in
                    action.member("version", record.version)
                    action.member("type", record.type)
                    action.member("time", CivilTime(nanosecondsSince1970: record.time).rfc3339())
                    if let principal = record.principal {
                        action.member("principal", principal.name)
                        if let role = principal.role { action.member("role", role) }
                    }
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
