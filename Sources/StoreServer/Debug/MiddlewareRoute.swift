import HTTPTransport
import Wire

extension ListRoute {
    /// `GET /debug/middleware`: what sees each action before it is reduced.
    static func middleware(_ attachments: CoreAttachments) -> ListRoute {
        ListRoute { json in
            json.list("middleware", of: attachments.all(.middleware)) { json, middleware in
                json.member("id", middleware.id)
            }
        }
    }
}

/// `DELETE /debug/middleware/<id>`: takes one away; it sees no action that is dispatched after the
/// answer.
struct MiddlewareRoute: Route {
    let methods = ["DELETE"]
    let attachments: CoreAttachments

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.crossOrigin(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard attachments.end(.middleware, String(rest.dropFirst())) else {
            throw .notFound(path: exchange.path)
        }
        exchange.respond(HTTPResponse.done)
    }
}
