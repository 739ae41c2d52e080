import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePatterns
import StoreWire

/// `POST /sessions` begins a session, and gives its secret to the client as a cookie. If the client
/// had a session as a visitor, and now has a credential, the visitor's session ends. `DELETE
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
                problems: store.sessionStartActions.isEmpty && !store.hasUsers
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
        IdleSessions.endIdle(in: store, table)
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
        let visitor = visitorSession(of: request)
        if let visitor { table.beginEnding(visitor) }
        try SessionTicket(request, store) { [store, table, links] version in
            guard let version else {
                table.remove(name)
                if let visitor { table.cancelEnding(visitor) }
                return nil
            }
            if let visitor {
                table.remove(visitor)
                store.streamWriter.endStreams(of: visitor)
                store.reader.endWaits(of: visitor)
            }
            let fields = [
                ("Location", links.session), cookie.settingField(secret, isSecure: isSecure),
            ]
            return .uncached(status: 201, addingFields: fields) { json in
                json.member("session", name)
                json.member("version", version)
            }
        }.dispatch(
            Sessions.Internal.began(session: name),
            and: store.sessionStartActions + signInActions(of: visitor, in: request),
            from: name
        )
    }

    /// Returns the session that the client had as a visitor, if the client signs in with this
    /// request. The session's name comes from the cookie alone, without the credential. Returns
    /// `nil` if users have no slices.
    private func visitorSession(of request: RequestContext) -> String? {
        guard store.hasUsers, request.identity?.name != nil,
            let secret = request.environment.sessionCookie.secret(of: request.exchange)
        else { return nil }
        let name = SessionTable.name(of: String(secret))
        return table.useIfOpen(name) ? name : nil
    }

    /// Returns the actions of a sign-in. The slices of the visitor and the user are joined, and the
    /// session of the visitor ends.
    private func signInActions(of visitor: String?, in request: RequestContext) -> [any Action] {
        guard let visitor, let principal = request.identity?.name else { return [] }
        return [
            Users.Internal.signedIn(visitor: visitor, principal: principal),
            Sessions.Internal.ended(session: visitor),
        ]
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
                .noContent(settingCookies: [credential, cookie.deletingField(isSecure: isSecure)])
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
            return .noContent(
                settingCookies: [cookie.deletingField(isSecure: isSecure)]
                    + (credential.map { [$0] } ?? [])
            )
        }.dispatch(Sessions.Internal.ended(session: name), from: name)
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
