import HTTPTransport
package import StorePatterns
package import Wire

/// What is presented to a client, the lowest first, and the client's word that it shows it.
package struct PresentationRoutes: RouteGroup {
    package let links: Links
    package let reader: StateReader
    /// The module that has the sessions.
    package let module: String
    package let watch: RouteWatch
    package let limits: JSONLimits

    package init(
        links: Links,
        reader: StateReader,
        module: String,
        watch: RouteWatch,
        limits: JSONLimits
    ) {
        self.links = links
        self.reader = reader
        self.module = module
        self.watch = watch
        self.limits = limits
    }

    private struct Shown: Codable, Sendable {
        let version: UInt64
    }

    package var routes: [Route] {
        let view = JSONSchema.object([
            .init("view", .string()), .init("style", .strings(["push", "modal", "root"])),
        ])
        return [
            .read(
                links.route,
                "Route",
                "What is presented to the client, the lowest first; to a client without a session, "
                    + "what is presented to all of those.",
                answers: [.json(.array(of: view), "The route.", headers: ["ETag", "Vary"])],
                problems: [.forbidden, .notFound],
                handle: show
            ),
            .change(
                .post,
                links.routeShown,
                "routeShown",
                "Say that the client shows its route as a version has it.",
                body: .json(.object([.init("version", .unsigned)])),
                answers: [.init(204, "Noted.")],
                problems: [.notFound, .invalidPayload],
                handle: note
            ),
        ]
    }

    private func show(_ request: RequestContext) throws(Problem) {
        let session = try request.session() ?? Sessions.shared
        let state = reader.state(for: Caller(session: session))
        // Of the sessions, only this one is parsed.
        let pointer = JSONPointer(tokens: [module, session, "route"])
        guard let route = state.part(at: pointer) else { throw request.notFound }
        request.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "application/json"), ("ETag", state.etag),
                    ("Cache-Control", "no-store"), ("Vary", "Cookie"),
                ],
                body: .shared(route)
            )
        )
    }

    /// Presenters may be waiting for this.
    private func note(_ request: RequestContext) throws(Problem) {
        let session = try request.session() ?? Sessions.shared
        let version = try request.object(Shown.self, limits).version
        let newest = reader.version
        guard version <= newest else { throw .notFound(version: version, newest: newest) }
        watch.isShown(version, by: session)
        request.respond(.done)
    }
}
