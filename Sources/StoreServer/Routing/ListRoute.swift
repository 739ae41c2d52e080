import HTTPTransport
import Wire

/// `GET` of something that is made anew for each request, and not kept: an object.
struct ListRoute: Route {
    let methods = ["GET", "HEAD"]
    /// Writes the object's members.
    let write: @Sendable (inout JSONWriter) -> Void

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        exchange.respond(HTTPResponse.unkept(write))
    }
}
