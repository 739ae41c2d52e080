import HTTPTransport
import Wire

/// `POST /session` gives a browser a cookie for the bearer token that it shows, so that its
/// `EventSource` can show who it is.
package struct CredentialRoutes: RouteGroup {
    package let links: Links
    package let access: AccessControl

    package init(links: Links, access: AccessControl) {
        self.links = links
        self.access = access
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
        ]
    }

    private func begin(_ request: RequestContext) throws(Problem) {
        let cookie = request.environment.credentialCookie
        // A cookie that could be exchanged for another one would never end.
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
