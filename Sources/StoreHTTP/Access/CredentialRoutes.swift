import StoreHTTPTransport
import StoreWire

/// `POST /session` exchanges the bearer token of a browser for a cookie, which its `EventSource`
/// can send.
package struct CredentialRoutes: RouteGroup {
    package let links: Links
    package let access: AccessControl
    /// True if there are sessions: `DELETE /session` then ends the session and deletes this cookie,
    /// too.
    private let hasSessions: Bool

    package init(links: Links, access: AccessControl, hasSessions: Bool) {
        self.links = links
        self.access = access
        self.hasSessions = hasSessions
    }

    package var routes: [Route] {
        [
            .change(
                .post,
                links.session,
                "beginLogin",
                "Exchange the bearer token of the Authorization header for a cookie.",
                needs: .everyone,
                answers: [.init(204, "The cookie is set.", headers: ["Set-Cookie"])],
                problems: [.unauthorized],
                handle: begin
            )
        ] + (hasSessions ? [] : [end])
    }

    private var end: Route {
        .change(
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
            request.respond(.taking([cookie.forget(for: request.exchange)]))
        }
    }

    private func begin(_ request: RequestContext) throws(Problem) {
        let cookie = request.environment.credentialCookie
        // A cookie must not be exchanged for a new cookie, because then it would never end.
        guard request.exchange.has("authorization"), let identity = request.identity,
            let made = access.cookie(for: identity.principal)
        else { throw .unauthorized() }
        request.respond(
            HTTPResponse(
                status: 204,
                headers: [
                    ("Cache-Control", "no-store"),
                    cookie.set(made.value, seconds: made.maxAge, for: request.exchange),
                ]
            )
        )
    }
}
