import StoreAuthorization
import StoreHTTPTransport
import StoreWire

/// One method on one path: what a client may send, what comes back, and what makes it.
///
/// The router, `Allow`, `OPTIONS`, the checks of queries, the OpenAPI description and the page at
/// `/` come from these values alone: what is served is what is described.
package struct Route: Sendable {
    /// Answers a whole request, now or later.
    typealias Handler = @Sendable (RequestContext) throws(Problem) -> Void

    let method: RequestMethod
    let path: PathTemplate
    /// Unique among all routes: `dispatch`.
    let id: String
    /// One sentence: what a request does, or what its answer has.
    let summary: String
    /// Those of the path, of the query, and the header fields that the route reads.
    var parameters: [any RouteParameter] = []
    var body = RequestBody.none
    let answers: [OpenAPI.Answer]
    /// The problems that the handler may answer with, beside those of ``filterProblems``.
    var problems: [ProblemSlug] = []
    /// What a caller's role has to allow.
    let access: RouteAccess
    /// At which listeners it is served, where operators have some of their own.
    var audience = RouteAudience.clients
    var origins = AllowedOrigins.all
    /// Whether the query may have what would stand in the body: then there is none.
    var takesLinks = false
    /// Whether it is served to the end while the server stops: its own health.
    var isServedDuringDrain = false
    let handle: Handler
}

/// Whom a route is for, where operators have listeners of their own (`--admin-listen`). Elsewhere
/// all routes are served at all listeners.
enum RouteAudience: Sendable {
    /// Those who use the store.
    case clients
    /// Those who run it: what they measure, and what they look into and end.
    case operators
    /// Both.
    case all

    /// Whether it is served at the listeners of operators, or at those of clients.
    func isServed(toOperators: Bool) -> Bool {
        switch self {
        case .clients: !toOperators
        case .operators: toOperators
        case .all: true
        }
    }
}

/// From which web pages a route takes requests.
enum AllowedOrigins: Sendable {
    /// From any: it changes nothing, and no page reads the answer that may not.
    case all
    /// From pages of the server's own origin, of those that are allowed beside it, and from clients
    /// that are no browsers.
    case own
    /// The same, as far as `Origin` says so. Of a request with a body every browser has it say so,
    /// and JSON, which a page of another origin cannot send without asking first, protects it
    /// besides; so an action costs one look.
    case ownWhereNamed
}

/// What a route takes as a body.
enum RequestBody: Sendable {
    case none
    /// JSON of this form.
    case json(JSONSchema)
    /// JSON of this form, or no body at all.
    case optionalJSON(JSONSchema)
}

extension Route {
    /// A resource that is read, by `GET`; the table adds `HEAD`. The name of what is read makes the
    /// ids: of `State`, `getState` and `headState`.
    static func read(
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

    /// A stream of server-sent events, by `GET` alone.
    static func stream(
        _ path: String,
        _ id: String,
        _ summary: String,
        needs access: RouteAccess,
        parameters: [any RouteParameter],
        problems: [ProblemSlug] = [],
        handle: @escaping Handler
    ) -> Route {
        Route(
            method: .get,
            path: PathTemplate(path),
            id: id,
            summary: summary,
            parameters: parameters,
            answers: [.init(200, "The stream.", bodies: [.init("text/event-stream")])],
            problems: problems + [.streamLimit],
            access: access,
            origins: .own,
            handle: handle
        )
    }

    /// A route that changes something, which pages of other origins may not.
    static func change(
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
        origins: AllowedOrigins = .own,
        takesLinks: Bool = false,
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
            takesLinks: takesLinks,
            handle: handle
        )
    }

    /// Whether it is read, and so has a `HEAD` beside its `GET`: a stream has none.
    var hasHead: Bool {
        method == .get
            && !answers.contains { $0.bodies.contains { $0.mediaType == "text/event-stream" } }
    }

    /// The problems that filters and the transport answer with before the handler is asked.
    var filterProblems: [ProblemSlug] {
        var slugs: [ProblemSlug] = [
            .badRequest, .timeout, .tooLarge, .uriTooLong, .misdirected, .headersTooLarge,
            .overloaded,
        ]
        if !isServedDuringDrain { slugs += [.draining, .tooManyRequests] }
        if origins != .all { slugs.append(.forbidden) }
        if case .none = body { return slugs }
        return slugs + [.malformedJSON, .unsupportedMediaType]
    }

    /// What is answered besides where a policy says who may do what.
    private var accessProblems: [ProblemSlug] {
        switch access {
        case .need(.nothing): [.unauthorized]
        case .need(let need) where !need.isOfOne: [.unauthorized, .forbidden]
        // What a role does not see is not there for it.
        default: [.unauthorized, .forbidden, .notFound]
        }
    }

    /// How OpenAPI describes it; with `anonymous`, who shows no credential, as a policy has it.
    func operation(anonymous: Identity?) -> OpenAPI.Operation {
        let schema: OpenAPI.Body?
        var isRequired = !takesLinks
        switch body {
        case .none: schema = nil
        case .json(let form): schema = .json(form)
        case .optionalJSON(let form):
            schema = .json(form)
            isRequired = false
        }
        let all = filterProblems + problems + (anonymous == nil ? [] : accessProblems)
        return OpenAPI.Operation(
            method.name.lowercased(),
            path.text,
            id: id,
            summary: summary,
            parameters: parameters.map(\.description),
            body: schema,
            isBodyRequired: isRequired,
            answers: answers,
            problems: ProblemSlug.allCases.filter(all.contains),
            admission: admission(anonymous)
        )
    }
}

extension Route {
    private func admission(_ anonymous: Identity?) -> OpenAPI.Admission {
        if case .need(.nothing) = access { return .everyone }
        return anonymous?.lists(self) == true ? .anonymous : .known
    }
}

/// Routes that belong together, beside what they need to answer.
package protocol RouteGroup {
    var routes: [Route] { get }
}
