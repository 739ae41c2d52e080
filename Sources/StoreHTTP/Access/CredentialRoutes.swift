import StoreAdmission
import StoreAuthentication
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// `POST /session` exchanges a browser's bearer token for a cookie, which `EventSource` can send.
struct CredentialRoutes: RouteGroup {
    let links: Links
    let access: AccessControl
    /// True if the store has ``SessionRoutes``, whose `DELETE /session` also deletes the cookie.
    let hasSessions: Bool

    var routes: [Route] {
        [
            .changing(
                .post,
                links.session,
                "beginLogin",
                "Exchange the bearer token of the Authorization header for a cookie.",
                needs: .everyone,
                answers: [.init(204, "The cookie is set.", headers: ["Set-Cookie"])],
                problems: [.unauthorized],
                handle: exchangeTokenForCookie
            )
        ] + (hasSessions ? [] : [deletionRoute])
    }

    private var deletionRoute: Route {
        .changing(
            .delete,
            links.session,
            "endLogin",
            "Remove the cookie that holds the client's credential.",
            needs: .everyone,
            answers: [.init(204, "The cookie is removed.", headers: ["Set-Cookie"])],
            problems: [.notFound]
        ) { request throws(Problem) in
            let cookie = request.environment.credentialCookie
            guard cookie.value(of: request.exchange) != nil else { throw request.notFound }
            request.respond(
                .noContent(settingCookies: [cookie.deletingField(for: request.exchange)])
            )
        }
    }

    private func exchangeTokenForCookie(_ request: RequestContext) throws(Problem) {
        let cookie = request.environment.credentialCookie
        // A cookie must not be exchanged for a new cookie: repeated exchanges would extend the
        // access without end.
        guard request.exchange.hasHeader("authorization"), let identity = request.identity,
            let made = access.cookie(for: identity.principal)
        else { throw .unauthorized() }
        let field = cookie.settingField(made.value, seconds: made.maxAge, for: request.exchange)
        request.respond(.noContent(settingCookies: [field]))
    }
}

/// `GET /session` shows a client its principal, its role and its session. A client without a
/// session gets the same members in the answer, with `null` as the session.
struct ClientIdentityRoutes: RouteGroup {
    let links: Links

    var routes: [Route] {
        let form = JSONSchema.object([
            .init("principal", .string()), .init("role", .string()),
            .init("expires", .nullable(.string())), .init("session", .nullable(.string())),
        ])
        return [
            .reading(
                links.session,
                "Session",
                "The client's principal, role and end of access, and its session, if it has one.",
                needs: .everyone,
                answers: [.json(form, "The client, with or without a session.")],
                handle: show
            )
        ]
    }

    private func show(_ request: RequestContext) {
        let principal = request.identity?.principal ?? .anonymous
        // A session that has ended, or that belongs to another principal, is not shown.
        let session = (try? request.useSession()) ?? nil
        request.respond { json in
            json.member("principal", principal.name)
            json.member("role", principal.role)
            let expires = principal.expiresAt.map { CivilTime(secondsSince1970: $0) }
            json.member("expires", orNull: expires?.rfc3339(.seconds))
            json.member("session", orNull: session)
        }
    }
}
