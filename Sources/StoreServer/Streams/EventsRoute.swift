import EventStream
import HTTPTransport
import Wire

/// `GET /events`: hands the connection over to the stream writer, which sends the state as it is and
/// every version from then on.
struct EventsRoute<State: Codable & Equatable & Sendable>: Route {
    /// What a client should wait before it reconnects, before the jitter of ± a quarter.
    static var retryMilliseconds: Int { 2_000 }
    /// The longest id that is looked at; tags take 29 bytes at the most.
    static var idBytesMax: Int { 64 }

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
        let resume = resume(after: exchange.header("last-event-id") ?? query["last_event_id"])
        guard store.streams.reserve() else {
            throw .streamLimit(store.configuration.streamsMax)
        }
        store.publisher.announce()
        exchange.stream(opening: opening(), topic: .state, resume: resume)
    }

    /// Where a stream begins, given the id that its reader saw last.
    private func resume(after id: String?) -> Resume {
        guard let id, !id.isEmpty else { return .fresh }
        guard id.utf8.count <= Self.idBytesMax, let tag = Tag(id) else {
            return resync(.malformed)
        }
        guard tag.epoch == store.publisher.epoch else { return resync(.epochChanged) }
        // The snapshot is swapped before a version can be seen anywhere, so nobody can know a
        // version that is greater.
        guard tag.version <= store.publisher.snapshot.version else { return resync(.ahead) }
        return .after(version: tag.version)
    }

    private func resync(_ reason: SSEFrame.ResyncReason) -> Resume {
        .resync(Chunk.of(SSEFrame.resync(reason)))
    }

    /// The response's head, which the writer sends before anything else.
    private func opening() -> Bytes {
        let jitter = Self.retryMilliseconds / 4
        // No blank line behind it: it belongs to the block of the first event.
        let line = "retry: \(Self.retryMilliseconds + Int.random(in: -jitter...jitter))\n"
        let head = [
            "HTTP/1.1 200 OK", "Date: \(HTTPDate.now)", "Content-Type: text/event-stream",
            "Cache-Control: no-store, no-transform", "X-Accel-Buffering: no", "Incremental: ?1",
            "Transfer-Encoding: chunked", "Connection: close", "", "",
        ].joined(separator: "\r\n")
        return Bytes(Array(head.utf8) + Chunk.of(Bytes(utf8: line)).array)
    }
}
