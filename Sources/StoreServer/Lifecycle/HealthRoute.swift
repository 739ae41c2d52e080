import HTTPTransport
import Wire

/// `GET /livez` and `GET /readyz`: whether the process works, and whether it takes requests.
struct HealthRoute: RouteDuringDrain {
    let methods = ["GET", "HEAD"]
    /// `nil` while all is well; else what to say instead.
    let problem: @Sendable () -> Problem?

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        if let problem = problem() { throw problem }
        exchange.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
                ],
                body: .bytes(Array("ok\n".utf8))
            )
        )
    }
}
