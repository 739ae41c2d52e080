package import StoreAdmission
package import StoreHTTPTransport
import StoreWire
import Synchronization

/// Passes requests through the filters to their routes. Each refusal is a problem (RFC 9457).
package final class Router: HTTPHandler {
    private let table: RouteTable
    private let environment: RequestEnvironment
    private let hosts: HostFilter
    private let isDraining = Atomic(false)
    private let origins: OriginRule
    /// The operator's rules about origins, proxies and rates; `nil` if no rule applies to every
    /// request.
    private let web: WebRules?
    /// The route for all preflights if a policy hides resources; `nil` if each resource answers its
    /// own preflights.
    private let preflightRoute: ServedRoute?
    private let takeWorkAfterTurn: @Sendable () -> (@Sendable () -> Void)?

    package init(
        _ environment: RequestEnvironment,
        hosts: HostRule,
        takeWorkAfterTurn: @escaping @Sendable () -> (@Sendable () -> Void)?
    ) {
        table = RouteTable(in: environment)
        self.environment = environment
        self.takeWorkAfterTurn = takeWorkAfterTurn
        self.hosts = HostFilter(hosts)
        origins = environment.web.origins
        web = environment.web.concernsEveryRequest ? environment.web : nil
        preflightRoute =
            environment.access == nil || environment.web.crossOrigin == nil
            ? nil
            : ServedRoute(
                .answeringPreflights(of: environment.catalog.routesWithHead),
                in: environment
            )
    }

    /// Refuses requests with 503 from now on, except on routes that are served during a stop.
    package func drain() { isDraining.store(true, ordering: .relaxed) }

    package func admit(_ exchange: HTTPExchange) -> HTTPResponse? {
        do throws(Problem) {
            exchange.requestStorage = try findRoute(of: exchange)
            return nil
        } catch {
            return refusal(error, of: exchange)
        }
    }

    package func handle(_ exchange: HTTPExchange) {
        do throws(Problem) {
            // A request that was queued during the start has not passed the filters yet.
            let served =
                if let found = exchange.servedRoute { found } else { try findRoute(of: exchange) }
            let request = try RequestContext(exchange, for: served)
            do throws(Problem) { try request.callRoute() } catch {
                exchange.respond(request.response(error))
            }
        } catch {
            exchange.respond(refusal(error, of: exchange))
        }
    }

    package func workAfterTurn() -> (@Sendable () -> Void)? { takeWorkAfterTurn() }

    package var livenessResponse: HTTPResponse? {
        guard !environment.hasOperatorListeners, let problem = environment.livenessProblem else {
            return nil
        }
        return problem().map { refusal($0) } ?? HealthRoutes.ok
    }

    package func response(for failure: TransportFailure) -> HTTPResponse {
        refusal(Problem(failure))
    }

    private func refusal(_ problem: Problem, of exchange: HTTPExchange? = nil) -> HTTPResponse {
        let id = environment.ids.next()
        exchange?.noteAccess { $0.requestID = problem.instance ?? id.text }
        return problem.response(for: id, in: environment.links.storeName)
    }

    /// Passes a request through the filters, and returns its route. The first filter that throws
    /// refuses the request.
    private func findRoute(of exchange: HTTPExchange) throws(Problem) -> ServedRoute {
        try hosts.check(exchange)
        var countsForLimits = false
        if let web {
            web.prepare(exchange)
            if let preflightRoute, web.isPreflight(exchange) {
                try web.countForAddress(exchange)
                try preflightRoute.checkBody(of: exchange)
                return preflightRoute
            }
            // Proxies and monitors send the requests about health and metrics, so these requests
            // count against no client's limit.
            countsForLimits = !table.isServedDuringDrain(exchange)
            if countsForLimits { try web.countForAddress(exchange) }
        }
        let sender = try environment.identify(exchange)
        if countsForLimits { try web?.countForPrincipal(exchange, sender) }
        let served = try table.route(for: exchange, by: sender)
        if isDraining.load(ordering: .relaxed), !served.route.isServedDuringDrain {
            throw .draining()
        }
        try served.checkOrigin(of: exchange, by: origins)
        try served.checkBody(of: exchange)
        return served
    }
}

extension HTTPExchange {
    /// The route that was found when the request was admitted.
    fileprivate var servedRoute: ServedRoute? {
        guard let found = requestStorage, type(of: found) == ServedRoute.self else { return nil }
        return unsafeDowncast(found, to: ServedRoute.self)
    }
}
