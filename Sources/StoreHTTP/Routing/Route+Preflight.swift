import StoreAdmission
import StoreHTTPTransport
import StoreWire

extension Preflight {
    init(_ methods: [String], of routes: [Route]) {
        self.init(methods, headers: routes.map { ($0.method.name, $0.headersOfPages) })
    }
}

extension Route {
    /// Makes the route that answers `OPTIONS` for a resource (RFC 9110 §9.3.7).
    static func options(
        at path: PathTemplate,
        _ methods: [String],
        _ preflight: Preflight,
        needs access: RouteAccess
    ) -> Route {
        Route(
            method: .options,
            path: path,
            id: "options",
            summary: "The methods of the resource.",
            answers: [.init(204, "They are in Allow.", headers: ["Allow"])],
            access: access,
            isServedDuringDrain: true
        ) { request in
            request.environment.web.crossOrigin?.answerPreflight(request.exchange, preflight)
            request.respond(.options(methods))
        }
    }

    /// Makes a route that answers the preflights of all resources alike. A preflight has no
    /// credential. So if a policy hides resources, even paths without a resource get this answer.
    static func preflights(of routes: [Route]) -> Route {
        let methods = Set(routes.map(\.method.bit)).sorted().compactMap { bit in
            routes.first { $0.method.bit == bit }?.method.name
        }
        var headers: [String] = []
        for name in routes.flatMap(\.headersOfPages) where !headers.contains(name) {
            headers.append(name)
        }
        let preflight = Preflight(ofAll: methods, headers: headers)
        return .options(at: PathTemplate("/"), methods, preflight, needs: .everyone)
    }

    /// The header fields that the route reads, and that a page has to be allowed to send.
    fileprivate var headersOfPages: [String] {
        let ofBody = body.kind == .none ? [] : ["Content-Type"]
        let read = parameters.map(\.description).filter { $0.place == .header }
        return ["Authorization"] + ofBody + read.map(\.name)
    }
}
