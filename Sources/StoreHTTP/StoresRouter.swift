package import StoreAdmission
package import StoreHTTPTransport
import StoreTexts
package import StoreWire

/// Passes requests to the stores of a process: a request for `/stores/<name>/…` to the named store,
/// and any other request to the store at `/`.
package final class StoresRouter: HTTPHandler {
    private let rootStore: any HTTPHandler
    private let namedStores: [ExactText: any HTTPHandler]
    private let allStores: [any HTTPHandler]

    /// Makes a router. `first`, the store at `/`, gets every request that is for no named store.
    package init(
        rootStore first: any HTTPHandler,
        namedStores named: [(name: String, handler: any HTTPHandler)]
    ) {
        self.rootStore = first
        self.namedStores = Dictionary(
            named.map { (ExactText($0.name), $0.handler) },
            uniquingKeysWith: { first, _ in first }
        )
        allStores = [first] + named.map(\.handler)
    }

    package func admit(_ exchange: HTTPExchange) -> HTTPResponse? {
        handler(for: exchange).admit(exchange)
    }

    package func handle(_ exchange: HTTPExchange) { handler(for: exchange).handle(exchange) }

    package func workAfterTurn() -> (@Sendable () -> Void)? {
        // The stores run on a pool, so no store returns work for the loop's thread.
        for handler in allStores { _ = handler.workAfterTurn() }
        return nil
    }

    package var livenessResponse: HTTPResponse? { rootStore.livenessResponse }

    package func response(for failure: TransportFailure) -> HTTPResponse {
        rootStore.response(for: failure)
    }

    private func handler(for exchange: HTTPExchange) -> any HTTPHandler {
        exchange.withNormalizedPath { path in
            let beginning = Links.stores.utf8
            guard path.count > beginning.count + 1, path.starts(with: beginning),
                path[beginning.count] == UInt8(ascii: "/")
            else { return rootStore }
            let name = path.dropFirst(beginning.count + 1).prefix { $0 != UInt8(ascii: "/") }
            return namedStores[ExactText(String(decoding: name, as: UTF8.self))] ?? rootStore
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

    package func workAfterTurn() -> (@Sendable () -> Void)? { nil }

    package func response(for failure: TransportFailure) -> HTTPResponse {
        refusal(Problem(failure))
    }

    private func refusal(_ problem: Problem) -> HTTPResponse {
        problem.response(for: ids.next(), in: links.storeName)
    }
}
