import HTTPTransport
import Synchronization
import Texts
import Wire

/// A request whose head is there, before its body is read.
struct RequestHead: ~Copyable {
    let exchange: HTTPExchange
    /// What its path leads to, where it leads anywhere.
    let resource: Resource?
    /// The route of its method there.
    let served: ServedRoute?
}

/// What a request has to pass before its body is read. Filters are asked in the order of their list, and
/// the first that throws decides.
protocol RequestFilter: Sendable {
    /// - Throws: what the client is answered.
    func check(_ request: borrowing RequestHead) throws(Problem)
}

/// 404 for a path that leads nowhere, 405 for a method that its resource does not have.
struct ResourceFilter: RequestFilter {
    func check(_ request: borrowing RequestHead) throws(Problem) {
        guard let resource = request.resource else {
            throw .notFound(path: request.exchange.path)
        }
        guard request.served != nil else {
            throw .methodNotAllowed(request.exchange.method, allowed: resource.methods)
        }
    }
}

/// 503 while the server stops, but for what is served to the end.
final class DrainFilter: RequestFilter {
    private let isDraining = Atomic(false)

    /// From now on requests are refused.
    func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    func check(_ request: borrowing RequestHead) throws(Problem) {
        guard isDraining.load(ordering: .relaxed),
            request.served?.route.isServedDuringDrain != true
        else { return }
        throw .draining()
    }
}

/// 403 for what a page of another origin sends from somebody's browser, where the route does not take it.
///
/// A server on loopback is within reach of every page that is open on the machine, and a browser sends a
/// POST without a body, and so without a type, wherever a page likes.
struct OriginFilter: RequestFilter {
    func check(_ request: borrowing RequestHead) throws(Problem) {
        guard request.served?.route.origins == .own,
            let origin = request.exchange.header("origin")?.lowercasedASCII
        else { return }
        let host = (request.exchange.host ?? "").lowercasedASCII
        guard !["http://\(host)", "https://\(host)"].contains(exactly: origin) else { return }
        throw .forbidden(
            "This does nothing for pages of another origin than its own. "
                + "Ask without a browser, for instance with curl."
        )
    }
}

/// 415 for a body that is not said to be JSON, where the route takes JSON, or that is compressed.
struct MediaTypeFilter: RequestFilter {
    func check(_ request: borrowing RequestHead) throws(Problem) {
        guard let body = request.served?.route.body else { return }
        let exchange = request.exchange
        switch body {
        case .none: return
        case .json:
            guard exchange.header("content-type", is: "application/json") || exchange.isJSON else {
                throw .unsupportedMediaType()
            }
        case .optionalJSON:
            guard !exchange.has("content-type") || exchange.isJSON else {
                throw .unsupportedMediaType()
            }
        }
        if let coding = exchange.header("content-encoding"), coding.lowercased() != "identity" {
            throw .unsupportedEncoding(coding)
        }
    }
}

extension HTTPExchange {
    /// Whether the body is said to be JSON.
    var isJSON: Bool { header("content-type").map(MediaType.isJSON) == true }
}
