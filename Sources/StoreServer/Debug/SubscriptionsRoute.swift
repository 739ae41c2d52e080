import Dispatch
import EventStream
import HTTPTransport
import Wire

/// `GET /debug/subscriptions`: who is told of new states, over a stream or in the process itself.
struct SubscriptionsRoute: Route {
    let methods = ["GET", "HEAD"]
    let streams: StreamWriter
    let attachments: CoreAttachments
    /// The presenters of modules that are started.
    let presenters: @Sendable () -> [(name: String, module: String)]
    let wake: @Sendable () -> Void

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        exchange.suspend()
        streams.list { open in
            // There may be thousands, and the writer's thread has streams to write.
            DispatchQueue.global().async {
                exchange.complete(answer(open))
                wake()
            }
        }
    }

    private func answer(_ open: [OpenStream]) -> HTTPResponse {
        HTTPResponse.unkept { json in
            json.list("streams", of: open) { json, stream in
                json.member("id", stream.id.description)
                json.member("topic", stream.topic.name)
                json.member("peer", stream.peer)
                json.member("seconds", stream.seconds)
                json.key("version")
                if let known = stream.version { json.integer(known) } else { json.null() }
                json.member("behind", stream.isBehind)
            }
            json.list("presenters", of: presenters()) { json, presenter in
                json.member("name", presenter.name)
                json.member("module", presenter.module)
            }
            json.list("observers", of: attachments.all(.observer)) { json, observer in
                json.member("id", observer.id)
                json.key("queue")
                if let queue = observer.queue { json.string(queue) } else { json.null() }
            }
        }
    }
}

/// `DELETE /debug/subscriptions/<id>`: ends a stream, with `bye`, or an observer.
struct SubscriptionRoute: Route {
    let methods = ["DELETE"]
    let streams: StreamWriter
    let attachments: CoreAttachments
    let wake: @Sendable () -> Void

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.crossOrigin(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        let id = String(rest.dropFirst())
        if attachments.end(.observer, id) {
            exchange.respond(HTTPResponse.done)
            return
        }
        let missing = Problem.notFound(path: exchange.path)
        guard let stream = StreamID(id) else { throw missing }
        exchange.suspend()
        streams.end(stream) { found in
            exchange.complete(
                found ? HTTPResponse.done : missing.response(for: RequestID.next())
            )
            wake()
        }
    }
}
