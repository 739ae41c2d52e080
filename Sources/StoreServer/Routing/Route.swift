import HTTPTransport
import Wire

/// One resource: which methods it has, and how it answers them.
protocol Route: Sendable {
    /// The methods that are allowed, in the order of the `Allow` header.
    var methods: [String] { get }

    /// Looks at a request before its body is read; a problem is answered at once.
    func admit(_ request: HTTPExchange) -> Problem?

    /// Answers a whole request, now or later.
    ///
    /// - Parameter rest: what the path has beyond the route's own, still percent-encoded.
    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem)
}

extension Route {
    func admit(_ request: HTTPExchange) -> Problem? { nil }
}
