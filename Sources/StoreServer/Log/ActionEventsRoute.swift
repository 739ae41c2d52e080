import EventStream
import HTTPTransport
import Wire

/// `GET /actions/events`: hands the connection over to the stream writer, which sends every action in
/// order, from the journal at first and then as they are applied.
struct ActionEventsRoute<State: Codable & Equatable & Sendable>: Route {
    let methods = ["GET"]
    let store: Store<State>

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        let query = try Query.of(exchange, allowed: ["after", "last_event_id"])
        let after: UInt64?
        do { after = try query.number("after") } catch { throw .badRequest(error.detail) }
        guard !exchange.isHTTP10 else {
            throw .badRequest("A stream is sent in chunks, which HTTP/1.0 does not have.")
        }
        // Who comes back by itself asks by the same target as before, so an id goes before `after`.
        let newest = store.publisher.snapshot.version
        var resume = StreamOpening.resume(
            after: exchange.header("last-event-id") ?? query["last_event_id"],
            in: store.publisher.epoch,
            newest: newest
        )
        if case .fresh = resume, let after {
            resume = StreamOpening.resume(after: after, newest: newest)
        }
        let session = try store.sessions(of: exchange).first
        guard store.streams.reserve(.actions) else {
            throw .streamLimit(store.configuration.streamsMax)
        }
        var owner = StreamOwner(session: session)
        if let hold = store.hold(session) { owner.left = { hold.end() } }
        exchange.stream(
            opening: StreamOpening.bytes,
            topic: .actions,
            resume: resume,
            for: owner
        )
    }
}
