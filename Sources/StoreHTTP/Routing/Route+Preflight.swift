import StoreAdmission
import StoreHTTPTransport
import StoreWire

extension Preflight {
    /// Makes the fields of a resource with these methods and routes.
    init(_ methods: [String], of routes: [Route]) {
        self.init(methods, headers: routes.map { ($0.method.name, $0.headersOfPages) })
    }
}

extension Route {
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
        return Route(
            method: .options,
            path: PathTemplate("/"),
            id: "preflight",
            summary: "The requests that pages of other origins may send.",
            answers: [.init(204, "The methods and header fields.")],
            access: .everyone,
            isServedDuringDrain: true
        ) { request in
            request.environment.web.crossOrigin?.answerPreflight(request.exchange, preflight)
            request.respond(.options(methods))
        }
    }

    /// The header fields that the route reads, and that a page has to be allowed to send.
    fileprivate var headersOfPages: [String] {
        var names = ["Authorization"]
        if case .none = body {} else { names.append("Content-Type") }
        for parameter in parameters where parameter.description.place == .header {
            names.append(parameter.description.name)
        }
        return names
    }
}
