import EventStream
import HTTPTransport
import Wire

/// `GET /events`: hands the connection over to the stream writer, which sends the state, or the part of it
/// that `path` leads to, as it is and every version from then on.
struct EventsRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET"]
    let store: Store<State>

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(
            exchange,
            allowed: ["mode", "path", "last_event_id", "subscriber"]
        )
        guard let pointer = JSONPointer(query["path"] ?? "") else {
            throw .badQuery(
                "path",
                allowed: "a JSON Pointer (RFC 6901): empty, or beginning with '/', "
                    + "with ~0 for '~' and ~1 for '/' within a name"
            )
        }
        guard pointer == .root else {
            return try StreamOpening.open(
                exchange,
                store,
                store.publisher.parts.part(at: pointer),
                query
            )
        }
        let topic = TopicID.state.carrying(try query.mode())
        try StreamOpening.open(exchange, store, topic, query) {
            $0.isAtHand(.root)
        } announce: {
            store.publisher.announce(in: $0)
        }
    }
}
