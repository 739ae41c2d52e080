import EventStream
import HTTPTransport
import Wire

/// `GET /events`: hands the connection over to the stream writer, which sends the state as it is and
/// every version from then on.
struct EventsRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET"]
    let store: Store<State>

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: ["mode", "last_event_id"])
        if let mode = query["mode"], mode != "snapshot" {
            throw .badQuery("mode", allowed: "snapshot")
        }
        guard !exchange.isHTTP10 else {
            throw .badRequest("A stream is sent in chunks, which HTTP/1.0 does not have.")
        }
        let resume = StreamOpening.resume(
            after: exchange.header("last-event-id") ?? query["last_event_id"],
            in: store.publisher.epoch,
            newest: store.publisher.snapshot.version
        )
        guard store.streams.reserve() else {
            throw .streamLimit(store.configuration.streamsMax)
        }
        store.publisher.announce()
        exchange.stream(opening: StreamOpening.bytes, topic: .state, resume: resume)
    }
}
