import StoreAdmission
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePatterns
import StoreWire

/// `POST /sessions` begins a session, and gives its secret to the client as a cookie. `DELETE
/// /session` ends the session, its streams, and the effects that work for this session alone.
struct SessionRoutes: RouteGroup {
    let store: Store
    let table: SessionTable

    private var links: Links { store.links }

    var routes: [Route] {
        let begun = JSONSchema.object([.init("session", .string()), .init("version", .unsigned)])
        return [
            .changing(
                .post,
                links.sessions,
                "beginSession",
                "Begin a session. The cookie \(SessionCookie(for: links).name) is its secret.",
                needs: .sessions,
                answers: [
                    .json(
                        begun,
                        "The session is open.",
                        status: 201,
                        headers: ["Location", "Set-Cookie"]
                    )
                ],
                problems: store.sessionStartActions.isEmpty
                    ? [.storageFull] : [.refused, .storageFull],
                handle: begin
            ),
            .changing(
                .delete,
                links.session,
                "endSession",
                "End the client's session, its streams, and the effects that work only for this "
                    + "session.",
                needs: .everyone,
                answers: [.init(204, "The session has ended.", headers: ["Set-Cookie"])],
                problems: [.notFound, .storageFull],
                handle: end
            ),
        ]
    }

    private func begin(_ request: RequestContext) throws(Problem) {
        try request.environment.web.limits?.take(.sessions, of: request.exchange)
        IdleSessions.end(in: store, table)
        let secret = SessionTable.newSecret()
        let name = SessionTable.name(of: secret, for: request.identity?.name)
        let address = request.exchange.client.network.description
        do {
            try table.begin(name, from: address)
        } catch {
            switch error {
            case .full: throw .overloaded("\(table.sessionsMax) sessions are open already")
            case .addressFull:
                throw .overloaded(
                    "\(table.sessionsPerAddressMax) sessions that \(address) has begun are open "
                        + "already; DELETE \(links.session) ends one"
                )
            }
        }
        let cookie = request.environment.sessionCookie
        let isSecure = request.needsSecureCookie
        try SessionTicket(request, store) { [table, links] version in
            guard let version else {
                table.remove(name)
                return nil
            }
            let fields = [
                ("Location", links.session), cookie.settingField(secret, isSecure: isSecure),
            ]
            return .uncached(status: 201, further: fields) { json in
                json.member("session", name)
                json.member("version", version)
            }
        }.dispatch(.began(session: name), and: store.sessionStartActions, from: name)
    }

    private func end(_ request: RequestContext) throws(Problem) {
        // A client that ends its session also loses the cookie with its credential.
        let credential = request.identity.map { _ in
            request.environment.credentialCookie.deletingField(for: request.exchange)
        }
        let cookie = request.environment.sessionCookie
        let isSecure = request.needsSecureCookie
        guard let name = try sessionToEnd(by: request) else {
            guard let credential else { throw request.notFound }
            return request.respond(
                .done(with: [credential, cookie.deletingField(isSecure: isSecure)])
            )
        }
        table.beginEnding(name)
        try SessionTicket(request, store) { [store, table] version in
            guard version != nil else {
                table.cancelEnding(name)
                return nil
            }
            table.remove(name)
            store.streamWriter.endStreams(of: name)
            store.reader.endWaits(of: name)
            return .done(
                with: [cookie.deletingField(isSecure: isSecure)] + (credential.map { [$0] } ?? [])
            )
        }.dispatch(.ended(session: name), from: name)
    }

    /// Returns the session that a request ends. Returns `nil` if no session is open, but the
    /// request has a cookie with a credential. The answer then still deletes this cookie.
    private func sessionToEnd(by request: RequestContext) throws(Problem) -> String? {
        let shows =
            request.identity != nil
            && request.environment.credentialCookie.value(of: request.exchange) != nil
        let name: String?
        do throws(Problem) { name = try request.useSession() } catch {
            guard shows else { throw error }
            return nil
        }
        if name == nil, !shows { throw request.notFound }
        return name
    }
}
