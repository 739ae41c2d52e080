import EventStream
import HTTPTransport
import Wire

/// `GET /events`: hands the connection over to the stream writer, which sends the state as it is and
/// every version from then on.
struct EventsRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET"]
    let store: Store<State>

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: ["mode", "last_event_id", "subscriber"])
        if let mode = query["mode"], mode != "snapshot" {
            throw .badQuery("mode", allowed: "snapshot")
        }
        try StreamOpening.open(exchange, store, .state, query) { store.publisher.announce() }
    }
}
