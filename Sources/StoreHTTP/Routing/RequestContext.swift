import StoreAuthorization
import StoreCore
import StoreEventStream
import StoreHTTPTransport
import StorePublishing
import StoreTexts
import StoreWire

/// A request on its way through the server: made once, by the router, when its filters have let it
/// pass.
package struct RequestContext: Sendable {
    /// The request itself, and the way to answer it.
    let exchange: HTTPExchange
    /// Its name in problems and in the log.
    let id: RequestID
    private let served: ServedRoute
    private let query: Query?

    init(_ exchange: HTTPExchange, for served: consuming ServedRoute) throws(Problem) {
        self.exchange = exchange
        let id = served.environment.ids.next()
        self.id = id
        if exchange.isNoted { exchange.noteAccess { $0.requestID = id.text } }
        query = try served.query(of: exchange)
        self.served = served
    }
}

extension RequestContext {
    /// Has the route answer.
    func handle() throws(Problem) { try served.route.handle(self) }

    /// What requests are answered from beside the state.
    var environment: RequestEnvironment { served.environment }

    /// The value of a parameter of the query, or `nil` where it is not given. The router has
    /// checked that the route allows it.
    subscript<Value>(parameter: Parameter<Value>) -> Value? {
        query?[parameter.name].flatMap(parameter.read)
    }

    /// A flag of the query.
    subscript(flag: Parameter<Bool>) -> Bool {
        query?[flag.name] == "true"
    }

    /// The value of the query's parameter of a name that the route declares.
    func query(_ name: String) -> String? { query?[name] }

    /// The value of a parameter of the path, by its place among them.
    ///
    /// - Throws: 400 where it is badly encoded.
    func path(_ index: Int = 0) throws(Problem) -> String {
        try served.route.path.value(index, of: exchange)
    }

    /// The JSON Pointer that follows the fixed part of the path.
    ///
    /// - Throws: 400 where it is none.
    func pointer() throws(Problem) -> JSONPointer {
        guard let pointer = served.withRest(of: exchange, { JSONPointer(path: $0) }) else {
            throw .badRequest("'\(Problem.excerpt(try path()))' is no JSON Pointer (RFC 6901).")
        }
        return pointer
    }

    /// On whose behalf the request is answered.
    ///
    /// - Throws: 403 for a session that has ended.
    func caller() throws(Problem) -> Caller {
        try environment.caller(of: exchange)
    }

    /// Who sends it; `nil` where that makes no difference.
    var identity: Identity? { exchange.identity }

    /// Whose place it is that a stream takes which watches a pointer.
    var watchingClient: WatchingClient {
        if let name = identity?.name { return .principal(ExactText(name)) }
        let client = exchange.client.shared
        return .address(client.description, isForMany: client.isLocal)
    }

    /// What ends its waiting, or a stream of it, besides the client; `nil` where that makes no
    /// difference. A stream may show a part of one member of the root state alone.
    func heldAccess(toMember member: String? = nil) throws(Problem) -> HeldAccess? {
        guard let access = environment.access, let identity else { return nil }
        let operates = try caller().isOperator && !environment.operatorReads
        return access.held(
            by: identity,
            for: try served.need(of: exchange),
            operates: operates,
            member: member,
            path: exchange.path,
            id
        )
    }

    /// Counts a stream of it among those of the caller's role. What is returned is called once, at
    /// the stream's end; `nil` where there is no policy.
    func countStream(_ topic: TopicID) -> (@Sendable () -> Void)? {
        guard let access = environment.access, let identity else { return nil }
        return access.streams.begin(StreamKind(topic.subject), of: identity.role?.name ?? "")
    }

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

    /// The session that the client shows: `nil` where it shows no cookie, or the state has no
    /// sessions.
    ///
    /// - Throws: 403 for a session that has ended.
    func session() throws(Problem) -> String? {
        try environment.session(of: exchange)
    }

    /// 403: the client's session has ended while the request waited.
    var sessionEnded: Problem { environment.sessionEnded }

    /// Where the request comes from, as the log shows it; `nil` where the operator has none of it
    /// kept.
    func origin(in session: String?) -> String? {
        environment.origin(of: exchange, in: session)
    }

    /// 404 for the path of the request.
    var notFound: Problem { .notFound(path: exchange.path) }

    /// The response for a problem, with the name of this request in it.
    func response(_ problem: Problem) -> HTTPResponse {
        problem.response(for: id, in: environment.links.store)
    }
}

extension RequestContext {
    /// Answers now.
    func respond(_ response: HTTPResponse) {
        exchange.respond(response)
    }

    /// Answers with a JSON object that no cache keeps.
    func respond(status: Int = 200, json members: (inout JSONWriter) -> Void) {
        exchange.respond(.uncached(status: status, members))
    }

    /// Has the answer made on another thread; where too much of that waits already, the request is
    /// refused for this reason.
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
