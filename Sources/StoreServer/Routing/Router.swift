import HTTPTransport
import Synchronization
import Wire

/// Finds the resource that a request is for, and makes every refusal a problem (RFC 9457).
final class Router: HTTPHandler {
    private let hosts: HostRule
    /// Resources by exact path.
    private let exact: [String: any Route]
    /// Resources that own all below a prefix, such as `/state/`.
    private let prefixed: [(prefix: String, route: any Route)]
    private let draining = Atomic(false)
    private let onTurnEnd: @Sendable () -> Void

    init(
        hosts: HostRule,
        exact: [String: any Route],
        prefixed: [(String, any Route)],
        onTurnEnd: @escaping @Sendable () -> Void
    ) {
        self.onTurnEnd = onTurnEnd
        self.hosts = hosts
        self.exact = exact
        self.prefixed = prefixed.map { (prefix: $0.0, route: $0.1) }
    }

    /// From now on only ``RouteDuringDrain`` resources are served; the others answer 503.
    func drain() {
        draining.store(true, ordering: .relaxed)
    }

    func admit(_ request: HTTPExchange) -> HTTPResponse? {
        guard hosts.allows(request.host) else {
            return refuse(.misdirected(host: request.host ?? ""))
        }
        guard let (route, rest) = find(request.path) else {
            return refuse(.notFound(path: request.path))
        }
        guard route.methods.contains(request.method) else {
            guard route.has(rest) else { return refuse(.notFound(path: request.path)) }
            return refuse(.methodNotAllowed(request.method, allowed: route.methods))
        }
        if draining.load(ordering: .relaxed), !(route is any RouteDuringDrain) {
            return refuse(.draining())
        }
        return route.admit(request).map(refuse)
    }

    func handle(_ exchange: HTTPExchange) {
        guard let (route, rest) = find(exchange.path) else {
            exchange.respond(refuse(.notFound(path: exchange.path)))
            return
        }
        do {
            try route.handle(exchange, rest: rest)
        } catch {
            exchange.respond(refuse(error))
        }
    }

    func turnEnded() {
        onTurnEnd()
    }

    func response(for failure: TransportFailure) -> HTTPResponse {
        refuse(Problem(failure))
    }

    private func refuse(_ problem: Problem) -> HTTPResponse {
        problem.response(for: RequestID.next())
    }

    private func find(_ path: String) -> (route: any Route, rest: String)? {
        if let route = exact[path] { return (route, "") }
        for (prefix, route) in prefixed where path.hasPrefix(prefix) {
            // The slash that ends the prefix begins the rest.
            return (route, String(path.dropFirst(prefix.utf8.count - 1)))
        }
        return nil
    }
}

/// A resource that is served to the end, while the server stops: its own health.
protocol RouteDuringDrain: Route {}
