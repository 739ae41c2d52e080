import HTTPTransport
import StoreCore
import Wire

/// A request on its way through the server: made once, by the router, when its filters have let it pass.
struct RequestContext: Sendable {
    /// The request itself, and the way to answer it.
    let exchange: HTTPExchange
    /// Its name in problems and in the log.
    let id: RequestID
    /// The route that serves it, with the resource that the route is one method of.
    let served: ServedRoute
    /// What the server knows beside the request.
    let environment: RequestEnvironment
    private let path: [String]
    private let query: Query

    init(
        _ exchange: HTTPExchange,
        served: ServedRoute,
        in environment: RequestEnvironment
    ) throws(Problem) {
        self.exchange = exchange
        self.served = served
        self.environment = environment
        id = .next()
        path = try served.resource.values(in: exchange)
        query =
            exchange.hasQuery
            ? try Query(exchange.query ?? "", allowed: served.route.parameters) : Query()
    }
}

extension RequestContext {
    /// The value of a parameter of the query, or `nil` where it is not given. The router has checked that
    /// the route allows it.
    subscript<Value>(parameter: Parameter<Value>) -> Value? {
        query[parameter.name].flatMap(parameter.read)
    }

    /// A flag of the query.
    subscript(flag: Parameter<Bool>) -> Bool {
        query[flag.name] == "true"
    }

    /// The value of the query's parameter of a name that the route declares.
    func query(_ name: String) -> String? { query[name] }

    /// The value of a parameter of the path, by its place among them; decoded, but for a rest, whose
    /// slashes would become others.
    func path(_ index: Int = 0) -> String { path[index] }

    /// Who asks. There is no authentication: everybody is anonymous.
    var principal: String? { nil }

    /// Whether the client asks for a page for people, as browsers do.
    var prefersHTML: Bool {
        (exchange.headerList("accept") ?? "").utf8.split(separator: UInt8(ascii: ",")).contains {
            $0.drop { $0 == UInt8(ascii: " ") }.starts(with: "text/html".utf8)
        }
    }

    /// What the client prefers (RFC 7240).
    var preferences: Preferences {
        exchange.headerList("prefer").map { Preferences($0) } ?? Preferences()
    }

    /// The session that the client shows: none where it shows no cookie, or the state has no sessions.
    ///
    /// - Throws: 403 for a session that has ended.
    func sessions() throws(Problem) -> [String] {
        try environment.sessions(of: exchange)
    }

    /// Where the request comes from, as the log shows it; `nil` where the operator has none of it kept.
    func origin(in sessions: [String]) -> String? {
        environment.origin(of: exchange, in: sessions)
    }

    /// 404 for the path of the request.
    var notFound: Problem { .notFound(path: exchange.path) }

    /// The response that tells the client of a problem.
    func response(_ problem: Problem) -> HTTPResponse {
        problem.response(for: id)
    }
}

extension RequestContext {
    /// Answers now.
    func respond(_ response: HTTPResponse) {
        exchange.respond(response)
    }

    /// Answers with a JSON object that no cache keeps.
    func respond(status: Int = 200, json members: (inout JSONWriter) -> Void) {
        exchange.respond(.unkept(status: status, members))
    }

    /// Has the answer made on another thread.
    ///
    /// - Parameter reason: why the request is refused where too much of that waits already.
    func respond(
        on work: BackgroundWork,
        orBusy reason: String,
        _ make: @escaping @Sendable () throws(Problem) -> HTTPResponse
    ) {
        exchange.suspend()
        let isTaken = work.submit { [self] in complete(Result { () throws(Problem) in try make() })
        }
        if !isTaken { complete(.failure(.overloaded(reason))) }
    }

    /// Answers a request that was put off. Any thread; wakes the event loop.
    func complete(_ answer: Result<HTTPResponse, Problem>) {
        switch answer {
        case .success(let response): exchange.complete(response)
        case .failure(let problem): exchange.complete(response(problem))
        }
        environment.wake()
    }
}
