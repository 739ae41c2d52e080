package import StoreAdmission
package import StoreHTTPTransport
import StoreTexts
package import StoreWire

/// Passes requests to the stores of a process: a request for `/stores/<name>/…` to the named store,
/// and any other request to the store at `/`.
package final class StoresRouter: HTTPHandler {
    private let first: any HTTPHandler
    private let named: [ExactText: any HTTPHandler]
    private let all: [any HTTPHandler]

    /// Makes a router. `first`, the store at `/`, gets every request that is for no named store.
    package init(_ first: any HTTPHandler, _ named: [(name: String, handler: any HTTPHandler)]) {
        self.first = first
        self.named = Dictionary(
            named.map { (ExactText($0.name), $0.handler) },
            uniquingKeysWith: { first, _ in first }
        )
        all = [first] + named.map(\.handler)
    }

    package func admit(_ exchange: HTTPExchange) -> HTTPResponse? {
        handler(for: exchange).admit(exchange)
    }

    package func handle(_ exchange: HTTPExchange) { handler(for: exchange).handle(exchange) }

    package func turnEnded() -> (@Sendable () -> Void)? {
        // The stores run on a pool, so no store leaves work to the loop's thread.
        for handler in all { _ = handler.turnEnded() }
        return nil
    }

    package var liveness: HTTPResponse? { first.liveness }

    package func response(for failure: TransportFailure) -> HTTPResponse {
        first.response(for: failure)
    }

    private func handler(for exchange: HTTPExchange) -> any HTTPHandler {
        exchange.withNormalizedPath { path in
            let beginning = Links.stores.utf8
            guard path.count > beginning.count + 1, path.starts(with: beginning),
                path[beginning.count] == UInt8(ascii: "/")
            else { return first }
            let name = path.dropFirst(beginning.count + 1).prefix { $0 != UInt8(ascii: "/") }
            return named[ExactText(String(decoding: name, as: UTF8.self))] ?? first
        }
    }
}

/// The handler in place of a store that could not be started: it answers every request with a
/// problem.
package final class UnavailableStore: HTTPHandler {
    private let hosts: HostRule
    private let links: Links
    private let problem: Problem
    private let ids: RequestIDs

    package init(at links: Links, _ problem: Problem, hosts: HostRule, ids: RequestIDs) {
        self.ids = ids
        self.links = links
        self.problem = problem
        self.hosts = hosts
    }

    package func admit(_ exchange: HTTPExchange) -> HTTPResponse? {
        guard hosts.allows(exchange.host) else {
            return refusal(.misdirected(host: exchange.host ?? ""))
        }
        return refusal(problem)
    }

    package func handle(_ exchange: HTTPExchange) {
        exchange.respond(admit(exchange) ?? refusal(problem))
    }

    package func turnEnded() -> (@Sendable () -> Void)? { nil }

    package func response(for failure: TransportFailure) -> HTTPResponse {
        refusal(Problem(failure))
    }

    private func refusal(_ problem: Problem) -> HTTPResponse {
        problem.response(for: ids.next(), in: links.store)
    }
}
