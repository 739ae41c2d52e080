import HTTPTransport
import Wire

/// `GET /debug/middleware`: what sees each action before it is reduced.
struct MiddlewareListRoute: Route {
    let methods = ["GET", "HEAD"]
    let attachments: CoreAttachments

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        exchange.respond(
            DebugRequest.answer { json in
                json.key("middleware")
                json.array { json in
                    for middleware in attachments.all(.middleware) {
                        json.object { $0.member("id", middleware.id) }
                    }
                }
            }
        )
    }
}

/// `DELETE /debug/middleware/<id>`: takes one away; it sees no action that is dispatched after the
/// answer.
struct MiddlewareRoute: Route {
    let methods = ["DELETE"]
    let attachments: CoreAttachments

    func admit(_ request: HTTPExchange) -> Problem? { DebugRequest.refusal(of: request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard attachments.end(.middleware, String(rest.dropFirst())) else {
            throw .notFound(path: exchange.path)
        }
        exchange.respond(DebugRequest.done)
    }
}
