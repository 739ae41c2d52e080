import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSONSchema
import StorePatterns
import StorePublishing
import StoreWire

/// The routes for the views that are presented to a client, the lowest first. At
/// ``Links/routeShown``, a client reports which version of these views it shows.
struct PresentationRoutes: RouteGroup {
    let store: Store
    let watch: RouteWatch

    private struct ShownReport: Codable, Sendable {
        let version: UInt64
    }

    var routes: [Route] {
        let view = JSONSchema.object([
            .init("view", .string()), .init("style", .stringEnum(["push", "modal", "root"])),
        ])
        return [
            .reading(
                store.links.route,
                "Route",
                "The views presented to the client, the lowest first. A client without a "
                    + "session gets the views presented to all clients without a session.",
                needs: .sessions,
                answers: [.json(.array(of: view), "The route.", headers: ["ETag", "Vary"])],
                problems: [.forbidden, .notFound],
                handle: show
            ),
            .streaming(
                store.links.routeEvents,
                "routeEvents",
                "The client's route now and after each change, as server-sent events. The "
                    + "stream also has each command of the program to the client's screens, once.",
                needs: .sessions,
                parameters: StreamParameters.all,
                problems: [.forbidden],
                handle: stream
            ),
            .changing(
                .post,
                store.links.routeShown,
                "routeShown",
                "Report that the client shows its route at a version.",
                needs: .sessions,
                body: .json(.object([.init("version", .unsigned)])),
                answers: [.init(204, "Noted.")],
                problems: [.notFound, .invalidPayload],
                handle: noteShown
            ),
        ]
    }

    private func show(_ request: RequestContext) throws(Problem) {
        let session = try request.useSession() ?? Sessions.shared
        let state = reader.state(for: Caller(session: session))
        // The pointer names a single session, so only the slice of this session is parsed.
        let pointer = ScreenCommandSender.routePointer(of: session, in: Sessions.name)
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

    private func stream(_ request: RequestContext) throws(Problem) {
        let session = try request.useSession() ?? Sessions.shared
        let route = ScreenCommandSender.routePointer(of: session, in: Sessions.name)
        let stream = try reader.stream(
            at: route,
            for: try request.caller().withFullSight,
            of: request.watchingClient
        )
        try StreamOpening.open(request, store, stream)
    }

    private var reader: StateReader { store.reader }

    /// Records the version of the route that the client shows. Presenters may be waiting for this
    /// report.
    private func noteShown(_ request: RequestContext) throws(Problem) {
        let session = try request.useSession() ?? Sessions.shared
        let version = try request.bodyObject(ShownReport.self, store.bounds.json).version
        let newest = reader.version
        guard version <= newest else { throw .notFound(version: version, newest: newest) }
        watch.noteShown(version, by: session)
        request.respond(.noContent)
    }
}
