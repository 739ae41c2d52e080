import StoreActionCatalog
import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreTraces
import StoreWire

/// A request that has passed the router's filters, with its route and its parameters. The router
/// makes a context once for each request.
package struct RequestContext: Sendable {
    let exchange: HTTPExchange
    /// The id of the request in problems and in the log.
    let id: RequestID
    let servedRoute: ServedRoute
    private let query: Query?

    init(_ exchange: HTTPExchange, for served: consuming ServedRoute) throws(Problem) {
        self.exchange = exchange
        let id = served.environment.ids.next()
        self.id = id
        if exchange.isNoted { exchange.noteAccess { $0.requestID = id.text } }
        // A preflight has the query of the request that a page is about to send, so the query is
        // not checked here.
        let readsQuery = exchange.hasQuery && served.route.method != .options
        query =
            readsQuery ? try Query(exchange.query ?? "", allowed: served.route.parameters) : nil
        self.servedRoute = served
    }
}

extension RequestContext {
    func callRoute() throws(Problem) { try servedRoute.route.handle(self) }

    /// The objects, other than the state, that handlers use to answer requests.
    var environment: RequestEnvironment { servedRoute.environment }

    /// The value of a query parameter; `nil` if the query does not have it. The router has checked
    /// that the route declares the parameter.
    subscript<Value>(parameter: Parameter<Value>) -> Value? {
        query?[parameter.name].flatMap(parameter.read)
    }

    /// The value of a flag in the query; `false` if the query does not have it.
    subscript(flag: Parameter<Bool>) -> Bool { query?[flag.name] == "true" }

    /// Returns the value of a query parameter by its name. The route must declare the parameter.
    func query(_ name: String) -> String? { query?[name] }

    /// Returns the value of a path parameter by its index.
    ///
    /// - Throws: 400 if the value is badly encoded.
    func pathParameter(_ index: Int = 0) throws(Problem) -> String {
        try servedRoute.route.path.parameterValue(index, of: exchange)
    }

    /// Returns the JSON Pointer that follows the fixed part of the path.
    ///
    /// - Throws: 400 if the rest of the path is no JSON Pointer.
    func pointer() throws(Problem) -> JSONPointer {
        var pointer: JSONPointer?
        _ = exchange.withNormalizedPath { path in
            servedRoute.route.path.match(path) { rest in
                pointer = JSONPointer(path: rest)
                return true
            }
        }
        guard let pointer else {
            throw .badRequest(
                "'\(Problem.excerpt(try pathParameter()))' is no JSON Pointer (RFC 6901)."
            )
        }
        return pointer
    }

    /// True if the client asks for a page for people, as browsers do.
    var prefersHTML: Bool {
        (exchange.headerList("accept") ?? "").utf8.split(separator: UInt8(ascii: ",")).contains {
            $0.drop { $0 == UInt8(ascii: " ") }.starts(with: "text/html".utf8)
        }
    }

    var preferences: Preferences {
        exchange.headerList("prefer").map { Preferences($0) } ?? Preferences()
    }

    var notFound: Problem { .notFound(path: exchange.path) }

    /// Makes the response for a problem, with this request's id in it.
    func response(_ problem: Problem) -> HTTPResponse {
        problem.response(for: id, in: environment.links.storeName)
    }
}

extension RequestContext {
    /// Answers the request now, on the event loop's thread.
    func respond(_ response: HTTPResponse) { exchange.respond(response) }

    /// Answers with a JSON object that must not be cached.
    func respond(status: Int = 200, json members: (inout JSONWriter) -> Void) {
        exchange.respond(.uncached(status: status, members))
    }

    /// Suspends the request and makes its answer on another thread. If too much work is waiting
    /// already, refuses the request with 503 and `reason`.
    func respond(
        on work: BackgroundQueue,
        orBusy reason: String,
        _ make: @escaping @Sendable () throws(Problem) -> HTTPResponse
    ) {
        exchange.suspend()
        let isTaken = work.submit { [self] in complete(Result(catching: make)) }
        if !isTaken { complete(.failure(.overloaded(reason))) }
    }

    /// Answers a suspended request and wakes the event loop. Any thread may call this function.
    func complete(_ answer: Result<HTTPResponse, Problem>) {
        switch answer {
        case .success(let response): exchange.complete(response)
        case .failure(let problem): exchange.complete(response(problem))
        }
        environment.wakeLoop()
    }
}

// Bodies

extension RequestContext {
    var hasNoBody: Bool { exchange.withBody(\.isEmpty) }

    /// Parses the body, which has to be JSON.
    func bodyDocument(_ limits: JSONLimits) throws(Problem) -> JSONDocument {
        // The closures capture only the workspace: a captured `self` would copy the whole context.
        let workspace = exchange.workspace
        do {
            return try exchange.withBody { body in
                Result { () throws(JSONError) in try workspace.parse(body, limits: limits) }
            }.get()
        } catch {
            throw Problem(error, bytesMax: limits.bytesMax)
        }
    }

    /// Parses the body, which has to be a JSON object.
    func bodyObject(_ limits: JSONLimits) throws(Problem) -> JSONNode {
        let root = try bodyDocument(limits).root
        guard root.kind == .object else {
            throw .badRequest("The body is not an object; GET /openapi.json describes its members.")
        }
        return root
    }

    /// Decodes the body, a JSON object, as a value of this type.
    func bodyObject<T: Decodable>(_ type: T.Type, _ limits: JSONLimits) throws(Problem) -> T {
        let object = try bodyObject(limits)
        do {
            return try JSONDecoder(limits: limits).decode(type, at: object, pointerPrefix: "")
        } catch {
            throw .unfitValue(error, for: exchange.path, environment.logger)
        }
    }
}

// Traces

extension HTTPExchange {
    /// The parent for the spans that the request leads to. The value is the request's own span if
    /// the request's trace is exported, else the trace that the client names.
    var childTraceparent: String? { spanIdentity?.traceparent ?? traceparent }

    /// The distributed trace that the client names (W3C Trace Context), if the field `traceparent`
    /// is valid. Most requests do not have the field: for them, the cost is one comparison of
    /// lengths.
    var traceparent: String? {
        guard hasHeader("traceparent"), let text = header("traceparent"),
            TraceContext.isTraceparent(text.utf8)
        else { return nil }
        if isNoted {
            let trace = text.utf8.split(separator: UInt8(ascii: "-"))[1]
            noteAccess { $0.traceID = String(trace) }
        }
        return text
    }
}
