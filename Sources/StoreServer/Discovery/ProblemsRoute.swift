import HTTPTransport
import Wire

/// `GET /problems/<slug>`: the page that explains a kind of problem, as its `type` promises.
struct ProblemsRoute: Route {
    let methods = ["GET", "HEAD"]

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard let page = ProblemCatalog.page(named: rest.dropFirst()) else {
            throw .notFound(path: exchange.path)
        }
        exchange.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", ProblemPage.htmlContentType), ("Cache-Control", "no-cache"),
                ],
                body: .bytes(Array(page.html.utf8))
            )
        )
    }
}
