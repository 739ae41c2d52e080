import HTTPTransport
import Wire

/// One resource: which methods it has, and how it answers them.
protocol Route: Sendable {
    /// The methods that are allowed, in the order of the `Allow` header.
    var methods: [String] { get }

    /// Looks at a request before its body is read; a problem is answered at once.
    func admit(_ request: HTTPExchange) -> Problem?

    /// Whether anything may be at what the path has beyond the route's own; where not, no method is
    /// allowed, and it is 404 and not 405.
    func has(_ rest: String) -> Bool

    /// Answers a whole request, now or later.
    ///
    /// - Parameter rest: what the path has beyond the route's own, still percent-encoded.
    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem)
}

extension Route {
    func admit(_ request: HTTPExchange) -> Problem? { nil }

    func has(_ rest: String) -> Bool { true }
}
