import StoreHTTPTransport
import StoreWire

/// What pages of other origins are answered beside what they ask for (CORS, the Fetch standard):
/// that they may read it.
///
/// The origin is the operator's text and never the request's, and so credentials are allowed: there
/// is no `*` that would let any page read the state with a user's cookies.
struct CrossOrigin: Sendable {
    /// How long a browser remembers what a preflight was answered, in seconds.
    static let maxAgeSeconds = 600
    /// What a page may read of an answer's head, beside what every page may.
    static let exposed = [
        "Allow", "ETag", "Idempotency-Replayed", "Location", "Preference-Applied", "RateLimit",
        "RateLimit-Policy", "Retry-After", "WWW-Authenticate",
    ]

    private let rule: OriginRule
    /// For each origin, the fields of an answer to its pages.
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

    /// Adds what a page of an allowed origin has to be answered.
    func answer(_ request: HTTPExchange) {
        guard let place = rule.place(of: request) else { return }
        request.addFields { $0.append(fields[place]) }
    }

    /// Whether a browser asks for a page of an allowed origin.
    func isAsked(by request: HTTPExchange) -> Bool {
        request.has("access-control-request-method") && rule.place(of: request) != nil
    }

    /// Adds which methods and header fields a page may send, where a browser asks for that before
    /// it sends them.
    func answerPreflight(_ request: HTTPExchange, _ preflight: Preflight) {
        guard isAsked(by: request), let method = request.header("access-control-request-method")
        else { return }
        request.addFields { $0.append(preflight.fields(for: method)) }
    }
}

/// What a resource takes from pages of other origins.
struct Preflight: Sendable {
    private let methods: [(name: String, fields: HTTPFields)]
    /// For a method that the resource does not have.
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

    /// What all resources together take, where it must not show which of them there are.
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
    /// Answers the preflights of all resources alike. A preflight shows no credential, so where not
    /// all clients may see all resources, it is answered for those that are not there, too.
    static func preflights(of routes: [Route]) -> Route {
        let preflight = Preflight(ofAll: routes)
        let methods = Preflight.methods(of: routes)
        return Route(
            method: .options,
            path: PathTemplate("/"),
            id: "preflight",
            summary: "What pages of other origins may send.",
            answers: [.init(204, "The methods and header fields.")],
            access: .everyone,
            isServedDuringDrain: true
        ) { request in
            request.environment.web.crossOrigin?.answerPreflight(request.exchange, preflight)
            request.respond(.options(methods))
        }
    }

    /// The header fields that it reads, and that a page has to be allowed to send.
    fileprivate var headersOfPages: [String] {
        var names = ["Authorization"]
        if case .none = body {} else { names.append("Content-Type") }
        for parameter in parameters where parameter.description.place == .header {
            names.append(parameter.description.name)
        }
        return names
    }
}
