package import StoreHTTPTransport
import StoreWire

/// The header fields that let pages of other origins read answers (CORS, the Fetch standard).
///
/// The origin in a field is the text of the operator's option, and never the text of a request. So
/// the fields may safely allow pages to send credentials. No field has `*`, which would let any
/// page read the state with a user's cookies.
package struct CrossOriginFields: Sendable {
    /// The seconds for which a browser remembers the answer to a preflight.
    static let maxAgeSeconds = 600
    /// The names in `Access-Control-Expose-Headers`. A browser shows these header fields of an
    /// answer to a page only if the server lists them.
    static let exposedFields = [
        "Allow", "ETag", "Idempotency-Replayed", "Link", "Location", "Preference-Applied",
        "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate",
    ]

    private let rule: OriginRule
    /// The fields for the pages of each origin, in the order of the origins.
    private let fieldsByOrigin: [HTTPFields]

    init(_ origins: [String]) {
        rule = OriginRule(origins)
        fieldsByOrigin = origins.map { origin in
            HTTPFields([
                ("Access-Control-Allow-Origin", origin),
                ("Access-Control-Allow-Credentials", "true"),
                ("Access-Control-Expose-Headers", Self.exposedFields.joined(separator: ", ")),
            ])
        }
    }

    /// Adds the fields for a page of an allowed origin.
    func addFields(to request: HTTPExchange) {
        guard let place = rule.allowedIndex(of: request) else { return }
        request.addAnswerFields { $0.append(fieldsByOrigin[place]) }
    }

    /// True if the request is a browser's preflight for a page of an allowed origin.
    func isPreflight(_ request: HTTPExchange) -> Bool {
        request.hasHeader("access-control-request-method") && rule.allowedIndex(of: request) != nil
    }

    /// Adds to the answer of a preflight the methods and header fields that a page may send.
    package func addPreflightFields(to request: HTTPExchange, _ preflight: PreflightAnswer) {
        guard isPreflight(request), let method = request.header("access-control-request-method")
        else { return }
        request.addAnswerFields { $0.append(preflight.fields(for: method)) }
    }
}

/// The methods and header fields that a resource takes from pages of other origins.
package struct PreflightAnswer: Sendable {
    private let methods: [(name: String, fields: HTTPFields)]
    /// The fields of the answer to a preflight for a method that the resource does not have.
    private let unsupportedMethodFields: HTTPFields

    /// Makes the fields of a resource from its methods and the header fields of each method.
    package init(_ methods: [String], headers: [(method: String, names: [String])]) {
        unsupportedMethodFields = Self.fields(methods, headers: nil)
        self.methods = headers.map { ($0.method, Self.fields(methods, headers: $0.names)) }
    }

    /// Makes one answer for all resources, with the methods and header fields of all of them. So
    /// the answer does not show which resources exist.
    package init(ofAll methods: [String], headers: [String]) {
        self.methods = []
        unsupportedMethodFields = Self.fields(methods, headers: headers)
    }

    private static func fields(_ methods: [String], headers: [String]?) -> HTTPFields {
        let allowed = headers.map { ("Access-Control-Allow-Headers", $0.joined(separator: ", ")) }
        return HTTPFields(
            [("Access-Control-Allow-Methods", methods.joined(separator: ", "))]
                + [allowed].compactMap(\.self)
                + [("Access-Control-Max-Age", String(CrossOriginFields.maxAgeSeconds))]
        )
    }

    fileprivate func fields(for method: String) -> HTTPFields {
        methods.first { $0.name == method }?.fields ?? unsupportedMethodFields
    }
}
