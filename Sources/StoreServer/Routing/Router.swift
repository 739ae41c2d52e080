import Glibc
import HTTPTransport
import Synchronization
import Wire

/// Finds the resource that a request is for, and makes every refusal a problem (RFC 9457).
final class Router: HTTPHandler {
    private let hosts: HostRule
    private let exact: ResourceTable
    /// Resources that own all below a prefix, such as `/state/`.
    private let prefixed: [Resource]
    private let draining = Atomic(false)
    private let onTurnEnd: @Sendable () -> Void
    // Safety: only the event loop's thread, which admits requests, touches it.
    /// The authority that was allowed last: most requests have the same.
    @exclusivity(unchecked) private nonisolated(unsafe) var allowedHost: [UInt8] = []

    init(
        hosts: HostRule,
        exact: [String: any Route],
        prefixed: [(String, any Route)],
        onTurnEnd: @escaping @Sendable () -> Void
    ) {
        self.onTurnEnd = onTurnEnd
        self.hosts = hosts
        self.exact = ResourceTable(exact)
        self.prefixed = prefixed.map { Resource($0.1, at: $0.0, ownsAllBelow: true) }
    }

    /// From now on only ``RouteDuringDrain`` resources are served; the others answer 503.
    func drain() {
        draining.store(true, ordering: .relaxed)
    }

    func admit(_ request: HTTPExchange) -> HTTPResponse? {
        guard allowsHost(of: request) else {
            return refuse(.misdirected(host: request.host ?? ""))
        }
        guard let resource = find(request) else {
            return refuse(.notFound(path: request.path))
        }
        guard resource.allows(request) else {
            guard resource.route.has(resource.rest(of: request)) else {
                return refuse(.notFound(path: request.path))
            }
            return refuse(.methodNotAllowed(request.method, allowed: resource.route.methods))
        }
        if draining.load(ordering: .relaxed), !resource.isServedDuringDrain {
            return refuse(.draining())
        }
        request.resource = resource
        return resource.route.admit(request).map(refuse)
    }

    func handle(_ exchange: HTTPExchange) {
        guard let resource = admitted(exchange) ?? find(exchange) else {
            exchange.respond(refuse(.notFound(path: exchange.path)))
            return
        }
        do {
            try resource.route.handle(exchange, rest: resource.rest(of: exchange))
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

    /// The resource that was found when the request was admitted.
    private func admitted(_ exchange: HTTPExchange) -> Resource? {
        guard let found = exchange.resource, type(of: found) == Resource.self else { return nil }
        return unsafeDowncast(found, to: Resource.self)
    }

    private func find(_ request: HTTPExchange) -> Resource? {
        request.withPath { path in exact[path] ?? prefixed.first { $0.isAt(path) } }
    }

    private func allowsHost(of request: HTTPExchange) -> Bool {
        let isAllowedLast = request.withHost { host in
            guard let host, host.count == allowedHost.count, let start = host.baseAddress else {
                return false
            }
            return memcmp(start, allowedHost, host.count) == 0
        }
        if isAllowedLast { return true }
        guard hosts.allows(request.host) else { return false }
        allowedHost = request.withHost { $0.map { Array($0) } ?? [] }
        return true
    }
}

/// A resource that is served to the end, while the server stops: its own health.
protocol RouteDuringDrain: Route {}
