import HTTPTransport
import Wire

/// Passes requests through the filters to their routes, and makes every refusal a problem (RFC 9457).
final class Router: HTTPHandler {
    private let environment: RequestEnvironment
    private let filters: [any RequestFilter]
    private let draining = DrainFilter()
    private let onTurnEnd: @Sendable () -> Void

    init(
        _ environment: RequestEnvironment,
        hosts: HostRule,
        onTurnEnd: @escaping @Sendable () -> Void
    ) {
        self.environment = environment
        self.onTurnEnd = onTurnEnd
        filters = [
            HostFilter(hosts), ResourceFilter(), draining, OriginFilter(), MediaTypeFilter(),
        ]
    }

    /// From now on only routes are served that are there to the end; the others answer 503.
    func drain() {
        draining.drain()
    }

    func admit(_ exchange: HTTPExchange) -> HTTPResponse? {
        do throws(Problem) {
            exchange.resource = try admitted(exchange)
            return nil
        } catch {
            return error.response(for: .next())
        }
    }

    func handle(_ exchange: HTTPExchange) {
        do throws(Problem) {
            let request = try context(of: exchange)
            do throws(Problem) { try request.served.route.handle(request) } catch {
                exchange.respond(request.response(error))
            }
        } catch {
            exchange.respond(error.response(for: .next()))
        }
    }

    func turnEnded() {
        onTurnEnd()
    }

    func response(for failure: TransportFailure) -> HTTPResponse {
        Problem(failure).response(for: .next())
    }

    /// One that was held back while the server started has not passed the filters.
    private func context(of exchange: HTTPExchange) throws(Problem) -> RequestContext {
        if let served = exchange.served {
            return try RequestContext(exchange, served: served, in: environment)
        }
        return try RequestContext(exchange, served: admitted(exchange), in: environment)
    }

    private func admitted(_ exchange: HTTPExchange) throws(Problem) -> ServedRoute {
        let resource = environment.table.resource(for: exchange)
        let served = resource?.route(for: exchange.verb)
        let head = RequestHead(exchange: exchange, resource: resource, served: served)
        for filter in filters { try filter.check(head) }
        guard let served else { throw .notFound(path: exchange.path) }
        return served
    }
}

extension HTTPExchange {
    /// The route that was found when the request was admitted.
    fileprivate var served: ServedRoute? {
        guard let found = resource, type(of: found) == ServedRoute.self else { return nil }
        return unsafeDowncast(found, to: ServedRoute.self)
    }
}
