import HTTPTransport
import StoreCore
import Wire

/// `GET /route`: what is presented to the client, the lowest first; to one without a session, what is
/// presented to all of those.
struct PresentedRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET", "HEAD"]
    let store: Store<State>
    /// The place of the sessions' slice.
    let slice: Int

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let session = try store.sessions(of: exchange).first ?? Sessions.shared
        let snapshot = store.publisher.snapshot
        // Of the sessions, only this one is parsed.
        let pointer = JSONPointer(tokens: [session, "route"])
        guard let route = snapshot.slices[slice].part(at: pointer) else {
            throw .notFound(path: exchange.path)
        }
        exchange.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "application/json"), ("ETag", snapshot.etag),
                    ("Cache-Control", "no-store"), ("Vary", "Cookie"),
                ],
                body: .shared(route)
            )
        )
    }
}

/// `POST /route/shown` with `{"version": 42}`: the client shows its route as this version has it, which
/// presenters may be waiting for.
struct ShownRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["POST"]
    let store: Store<State>
    let watch: RouteWatch
    let limits: JSONLimits

    private struct Body: Codable, Sendable {
        let version: UInt64
    }

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.json(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let session = try store.sessions(of: exchange).first ?? Sessions.shared
        let version = try exchange.object(Body.self, limits).version
        let newest = store.publisher.snapshot.version
        guard version <= newest else {
            throw .notFound(version: version, newest: newest)
        }
        watch.isShown(version, by: session)
        exchange.respond(HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")]))
    }
}
