import HTTPTransport
import Wire

/// A document that does not change while the server runs: a schema, the API's description.
struct DocumentRoute: Route {
    let methods = ["GET", "HEAD"]
    let contentType: String
    let document: Bytes

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        exchange.respond(
            HTTPResponse(
                status: 200,
                headers: [("Content-Type", contentType), ("Cache-Control", "no-cache")],
                body: .shared(document)
            )
        )
    }
}
