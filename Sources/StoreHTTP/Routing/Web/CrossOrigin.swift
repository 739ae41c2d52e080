import StoreHTTPTransport
import StoreWire

/// The header fields that let pages of other origins read answers (CORS, the Fetch standard).
///
/// The origin in a field is the operator's text and never the request's, so credentials are
/// allowed. There is no `*`, which would let any page read the state with a user's cookies.
struct CrossOrigin: Sendable {
    /// The seconds for which a browser remembers the answer to a preflight.
    static let maxAgeSeconds = 600
    /// The header fields of an answer that a page may read, besides the fields that every page may
    /// read.
    static let exposed = [
        "Allow", "ETag", "Idempotency-Replayed", "Location", "Preference-Applied", "RateLimit",
        "RateLimit-Policy", "Retry-After", "WWW-Authenticate",
    ]

    private let rule: OriginRule
    /// The fields for the pages of each origin, in the order of the origins.
    private let fields: [HTTPFields]

    init(_ origins: [String]) {
        rule = OriginRule(origins)
        fields = origins.map { origin in
            HTTPFields([
                ("Access-Control-Allow-Origin", origin),
                ("Access-Control-Allow-Credentials", "true"),
                ("Access-Control-Expose-Headers", Self.exposed.joined(separator: ", ")),
            ])
        }
    }

    /// Adds the fields for a page of an allowed origin.
    func answer(_ request: HTTPExchange) {
        guard let place = rule.place(of: request) else { return }
        request.addFields { $0.append(fields[place]) }
    }

    /// True if a browser sends a preflight for a page of an allowed origin.
    func isAsked(by request: HTTPExchange) -> Bool {
        request.has("access-control-request-method") && rule.place(of: request) != nil
    }

    /// Adds the methods and header fields that a page may send, if the request is a preflight.
    func answerPreflight(_ request: HTTPExchange, _ preflight: Preflight) {
        guard isAsked(by: request), let method = request.header("access-control-request-method")
        else { return }
        request.addFields { $0.append(preflight.fields(for: method)) }
    }
}

/// The methods and header fields that a resource takes from pages of other origins.
struct Preflight: Sendable {
    private let methods: [(name: String, fields: HTTPFields)]
    /// The fields for a method that the resource does not have.
    private let others: HTTPFields

    init(_ methods: [String], of routes: [Route]) {
        let allowed = ("Access-Control-Allow-Methods", methods.joined(separator: ", "))
        let age = ("Access-Control-Max-Age", String(CrossOrigin.maxAgeSeconds))
        others = HTTPFields([allowed, age])
        self.methods = routes.map { route in
            let headers = route.headersOfPages.joined(separator: ", ")
            let fields = HTTPFields([allowed, ("Access-Control-Allow-Headers", headers), age])
            return (route.method.name, fields)
        }
    }

    /// Combines the methods and header fields of all resources, so that the answer does not show
    /// which resources exist.
    init(ofAll routes: [Route]) {
        let methods = Self.methods(of: routes)
        var names: [String] = []
        for name in routes.flatMap(\.headersOfPages) where !names.contains(name) {
            names.append(name)
        }
        self.methods = []
        others = HTTPFields([
            ("Access-Control-Allow-Methods", methods.joined(separator: ", ")),
            ("Access-Control-Allow-Headers", names.joined(separator: ", ")),
            ("Access-Control-Max-Age", String(CrossOrigin.maxAgeSeconds)),
        ])
    }

    fileprivate static func methods(of routes: [Route]) -> [String] {
        Set(routes.map(\.method.bit)).sorted().compactMap { bit in
            routes.first { $0.method.bit == bit }?.method.name
        }
    }

    fileprivate func fields(for method: String) -> HTTPFields {
        methods.first { $0.name == method }?.fields ?? others
    }
}

extension Route {
    /// Makes a route that answers the preflights of all resources alike. A preflight has no
    /// credential. So if a policy hides resources, even paths without a resource get this answer.
    static func preflights(of routes: [Route]) -> Route {
        let preflight = Preflight(ofAll: routes)
        let methods = Preflight.methods(of: routes)
        return Route(
            method: .options,
            path: PathTemplate("/"),
            id: "preflight",
            summary: "The requests that pages of other origins may send.",
            answers: [.init(204, "The methods and header fields.")],
            access: .everyone,
            isServedDuringDrain: true
        ) { request in
            request.environment.web.crossOrigin?.answerPreflight(request.exchange, preflight)
            request.respond(.options(methods))
        }
    }

    /// The header fields that the route reads, and that a page has to be allowed to send.
    fileprivate var headersOfPages: [String] {
        var names = ["Authorization"]
        if case .none = body {} else { names.append("Content-Type") }
        for parameter in parameters where parameter.description.place == .header {
            names.append(parameter.description.name)
        }
        return names
    }
}
