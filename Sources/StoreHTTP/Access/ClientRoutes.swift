import StoreAuthentication
import StoreHTTPTransport
import StoreWire

/// `GET /session` shows a client its principal, its role and its session. A client without a
/// session gets an answer, too, so that a page can ask without an error.
package struct ClientRoutes: RouteGroup {
    package let links: Links

    package init(links: Links) {
        self.links = links
    }

    package var routes: [Route] {
        let form = JSONSchema.object([
            .init("principal", .string()), .init("role", .string()),
            .init("expires", .nullable(.string())), .init("session", .nullable(.string())),
        ])
        return [
            .read(
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
        let session = (try? request.session()) ?? nil
        request.respond { json in
            json.member("principal", principal.name)
            json.member("role", principal.role)
            json.key("expires")
            if let expires = principal.expires {
                json.string(CivilTime(secondsSince1970: expires).rfc3339(.seconds))
            } else {
                json.null()
            }
            json.key("session")
            if let session { json.string(session) } else { json.null() }
        }
    }
}
