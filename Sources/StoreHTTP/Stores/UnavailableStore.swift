package import StoreHTTPTransport
package import StoreWire

/// Takes the place of a store that could not be started: answers every request with 503.
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

    package func turnEnded() {}

    package func response(for failure: TransportFailure) -> HTTPResponse {
        refusal(Problem(failure))
    }

    private func refusal(_ problem: Problem) -> HTTPResponse {
        problem.response(for: ids.next(), in: links.store)
    }
}
