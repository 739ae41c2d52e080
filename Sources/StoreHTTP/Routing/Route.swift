import StoreAdmission
import StoreAuthorization
import StoreHTTPTransport
package import StoreJSONSchema
import StoreWire

/// A method of a path: its parameters, its answers, its problems and its handler.
///
/// The router, `Allow`, `OPTIONS`, the checks of queries, the OpenAPI description and the page at
/// `/` all come from these values. So the description always matches the server.
package struct Route: Sendable {
    /// Answers a request at once or later. The transport calls the handler after the body is read.
    typealias Handler = @Sendable (RequestContext) throws(Problem) -> Void

    private(set) var method: RequestMethod
    let path: PathTemplate
    private(set) var id: String
    /// A sentence about the effect of a request, or the content of its answer.
    private(set) var summary: String
    /// The parameters of the path and the query, and the header fields that the route reads.
    var parameters: [any RouteParameter] = []
    var body = RequestBody.none
    let answers: [OpenAPI.Answer]
    /// The problems that the handler may answer with, in addition to ``filterProblems``.
    var problems: [ProblemSlug] = []
    let access: RouteAccess
    /// The listeners at which the route is served, if operators have listeners of their own.
    var audience = RouteAudience.clients
    var origins = AllowedOrigins.all
    /// True if a request may have an action in the query and no body, as in the links of views.
    var takesActionInQuery = false
    /// True if the route is also served during a stop, such as the routes for health.
    var isServedDuringDrain = false
    let handle: Handler
}

/// The users of a route, if operators have listeners of their own (`--admin-listen`). If operators
/// have no listeners of their own, every listener serves all routes.
enum RouteAudience: Sendable {
    /// Clients of the store.
    case clients
    /// Operators: routes that measure, inspect or end parts of the server.
    case operators
    /// Both clients and operators.
    case all

    /// Returns true if the route is served at the listeners of operators (`toOperators: true`) or
    /// of clients (`toOperators: false`).
    func isServed(toOperators: Bool) -> Bool {
        switch self {
        case .clients: !toOperators
        case .operators: toOperators
        case .all: true
        }
    }
}

/// The web pages from which a route takes requests.
enum AllowedOrigins: Sendable {
    /// All pages: the route changes nothing, and browsers hide its answer from forbidden pages.
    case all
    /// Pages of the server itself, pages of allowed origins, and clients that are no browsers.
    case ownAndAllowed
    /// The same pages as ``ownAndAllowed``, but only the `Origin` field is checked. The check is
    /// enough for a request with a JSON body: browsers send `Origin` with every body. Pages of
    /// other origins also need a preflight for JSON.
    case ownAndAllowedByOriginField
}

struct RequestBody: Sendable {
    enum Kind {
        case none, json, optionalJSON
    }

    let kind: Kind
    /// The schema of the JSON; `nil` if the route takes no body.
    let schema: JSONSchema?

    static let none = RequestBody(kind: .none, schema: nil)

    static func json(_ schema: JSONSchema) -> RequestBody {
        RequestBody(kind: .json, schema: schema)
    }

    static func optionalJSON(_ schema: JSONSchema) -> RequestBody {
        RequestBody(kind: .optionalJSON, schema: schema)
    }
}

extension Route {
    /// Makes a route that reads data with `GET`. The route's resource adds `HEAD`. The ids of the
    /// two operations are made from the name: `State` becomes `getState` and `headState`.
    static func reading(
        _ path: String,
        _ name: String,
        _ summary: String,
        needs access: RouteAccess,
        parameters: [any RouteParameter] = [],
        answers: [OpenAPI.Answer],
        problems: [ProblemSlug] = [],
        audience: RouteAudience = .clients,
        isServedDuringDrain: Bool = false,
        handle: @escaping Handler
    ) -> Route {
        Route(
            method: .get,
            path: PathTemplate(path),
            id: "get" + name,
            summary: summary,
            parameters: parameters,
            answers: answers,
            problems: problems,
            access: access,
            audience: audience,
            isServedDuringDrain: isServedDuringDrain,
            handle: handle
        )
    }

    /// Makes a route with a stream of server-sent events, which has no `HEAD`.
    static func streaming(
        _ path: String,
        _ id: String,
        _ summary: String,
        needs access: RouteAccess,
        parameters: [any RouteParameter],
        problems: [ProblemSlug] = [],
        handle: @escaping Handler
    ) -> Route {
        .changing(
            .get,
            path,
            id,
            summary,
            needs: access,
            parameters: parameters,
            answers: [.text("text/event-stream", "The stream.")],
            problems: problems + [.streamLimit],
            handle: handle
        )
    }

    /// Makes a route whose requests change data. By default, only pages of allowed origins may use
    /// the route.
    static func changing(
        _ method: RequestMethod,
        _ path: String,
        _ id: String,
        _ summary: String,
        needs access: RouteAccess,
        parameters: [any RouteParameter] = [],
        body: RequestBody = .none,
        answers: [OpenAPI.Answer],
        problems: [ProblemSlug] = [],
        audience: RouteAudience = .clients,
        origins: AllowedOrigins = .ownAndAllowed,
        takesActionInQuery: Bool = false,
        handle: @escaping Handler
    ) -> Route {
        Route(
            method: method,
            path: PathTemplate(path),
            id: id,
            summary: summary,
            parameters: parameters,
            body: body,
            answers: answers,
            problems: problems,
            access: access,
            audience: audience,
            origins: origins,
            takesActionInQuery: takesActionInQuery,
            handle: handle
        )
    }

    /// True if the route has a `HEAD` beside its `GET`. All routes that read have a `HEAD`, except
    /// streams.
    var hasHead: Bool {
        method == .get
            && !answers.contains { $0.bodies.contains { $0.mediaType == "text/event-stream" } }
    }

    /// The same route for `HEAD`: the transport sends only the head of the answer.
    var headRoute: Route {
        var head = self
        head.method = .head
        head.id = "head" + id.dropFirst("get".count)
        head.summary = "The headers alone: " + summary
        return head
    }

    /// The problems of the filters and of the transport, which check a request before the handler
    /// is called.
    var filterProblems: [ProblemSlug] {
        var slugs: [ProblemSlug] = [
            .badRequest, .timeout, .tooLarge, .uriTooLong, .misdirected, .headersTooLarge,
            .overloaded,
        ]
        if !isServedDuringDrain { slugs += [.draining, .tooManyRequests] }
        if origins != .all { slugs.append(.forbidden) }
        return body.kind == .none ? slugs : slugs + [.malformedJSON, .unsupportedMediaType]
    }

    /// The problems that the route has in addition if the server has a policy.
    private var accessProblems: [ProblemSlug] {
        switch access {
        case .need(.nothing): [.unauthorized]
        case .need(let need) where !need.isHiddenIfDenied: [.unauthorized, .forbidden]
        // A role that can't see a resource gets 404.
        default: [.unauthorized, .forbidden, .notFound]
        }
    }

    /// Returns the OpenAPI description of the route. With a policy, `anonymous` is the identity of
    /// clients without a credential.
    func operation(anonymous: Identity?) -> OpenAPI.Operation {
        let all = filterProblems + problems + (anonymous == nil ? [] : accessProblems)
        return OpenAPI.Operation(
            method.name.lowercased(),
            path.text,
            id: id,
            summary: summary,
            parameters: parameters.map(\.description),
            body: body.schema.map { .json($0) },
            isBodyRequired: !takesActionInQuery && body.kind != .optionalJSON,
            answers: answers,
            problems: ProblemSlug.allCases.filter(all.contains),
            admission: admission(anonymous)
        )
    }

    private func admission(_ anonymous: Identity?) -> OpenAPI.Admission {
        if case .need(.nothing) = access { return .everyone }
        return anonymous?.mayUse(self) == true ? .anonymousIfPermitted : .authenticated
    }
}

/// Routes that belong together, with the objects that their handlers use.
package protocol RouteGroup {
    var routes: [Route] { get }
}

// Descriptions that several routes have in common: answers, schemas and header fields.

extension OpenAPI.Answer {
    static func json(
        _ schema: JSONSchema,
        _ summary: String,
        status: Int = 200,
        headers: [String] = []
    ) -> OpenAPI.Answer { .init(status, summary, headers: headers, bodies: [.json(schema)]) }

    /// Describes an answer 200 with text that has no schema.
    static func text(_ mediaType: String, _ summary: String) -> OpenAPI.Answer {
        .init(200, summary, bodies: [.init(mediaType)])
    }

    static let noContent = OpenAPI.Answer(204, "Done.")
    static let notModified = OpenAPI.Answer(
        304,
        "Nothing is newer than the client's state.",
        headers: ["ETag"]
    )
}

extension JSONSchema {
    /// The schema of a version or a count.
    static let unsigned = JSONSchema.integer(minimum: 0, maximum: .max)

    /// Returns the schema of an object whose only member is a list.
    package static func list(_ name: String, of item: JSONSchema) -> JSONSchema {
        .object([.init(name, .array(of: item))])
    }
}

extension HeaderParameter {
    static let ifNoneMatch = HeaderParameter(
        "If-None-Match",
        "The tag that the client has already."
    )
    static let ifMatch = HeaderParameter(
        "If-Match",
        "Answer only if this is the current tag. Allowed are * and quoted tags; other values "
            + "get 400.",
        .text(pattern: entityTagsPattern)
    )
    static let preferWait = HeaderParameter("Prefer", "wait=N (RFC 7240).")

    /// The pattern of `*`, or of entity tags with commas between them (RFC 9110 §13.1.1).
    static let entityTagsPattern = #"^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$"#
}
