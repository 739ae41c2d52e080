import StoreAdmission
import StoreAuthorization
import StoreHTTPTransport
import StoreTexts
import StoreWire

/// All routes of one path.
final class Resource: Sendable {
    let path: PathTemplate
    /// The methods of the resource, in the order of the `Allow` field, without `OPTIONS`.
    let methods: [String]
    /// The listeners at which the resource is served: all listeners that serve a route of the
    /// resource.
    private let audience: RouteAudience
    /// The path parameters in their order; `nil` for a parameter that allows any text.
    private let parameters: [(any RouteParameter)?]
    /// The right that the first route of the resource needs.
    let access: RouteAccess
    /// The routes, by the index of their method's bit.
    private let routesByMethod: [ServedRoute?]

    /// Makes a resource of the routes with this path. The resource `*` means the whole server and
    /// has no routes: `OPTIONS *` lists `serverMethods`.
    init(
        _ path: PathTemplate,
        _ routes: [Route],
        serverMethods: [RequestMethod] = [],
        in environment: RequestEnvironment
    ) {
        self.path = path
        parameters = path.parameterNames.enumerated().map { index, name in
            let declared = routes.lazy.flatMap(\.parameters).first {
                $0.description.location == .path && $0.name == name
            }
            return path.isRestParameter(index) || declared?.allowsAnything == true ? nil : declared
        }
        var served = routes
        if let get = routes.first(where: \.hasHead) { served.append(get.headRoute) }
        let methods = (served.map(\.method).sorted { $0.bit < $1.bit } + serverMethods).map(\.name)
        self.methods = methods
        let audiences = routes.map(\.audience)
        audience = audiences.dropFirst().reduce(audiences.first ?? .all) { $0 == $1 ? $0 : .all }
        access = routes.first?.access ?? .everyone
        let preflight = PreflightAnswer(methods, of: served)
        served.append(.options(at: path, methods, preflight, needs: access.accessForOptions))
        var places = [ServedRoute?](repeating: nil, count: UInt8.bitWidth)
        for route in served {
            places[route.method.bit.trailingZeroBitCount] = ServedRoute(route, in: environment)
        }
        self.routesByMethod = places
    }

    /// Returns true if the resource is served at the listeners of operators (`toOperators: true`)
    /// or of clients (`toOperators: false`).
    func isServed(toOperators: Bool) -> Bool { audience.isServed(toOperators: toOperators) }

    func route(for method: RequestMethod) -> ServedRoute? {
        let bit = method.bit
        return bit == 0 ? nil : routesByMethod[bit.trailingZeroBitCount]
    }

    /// True if a path fits the template, with values that its parameters allow.
    func matches(_ path: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        return self.path.match(path) { value in
            defer { index += 1 }
            guard let parameter = parameters[index] else { return true }
            // A badly encoded value passes here: the handler refuses it later with an explanation.
            let text = PercentEncoding.decode(String(decoding: value, as: UTF8.self))
            return text.map(parameter.allows) ?? true
        }
    }
}

// Preflights

extension PreflightAnswer {
    init(_ methods: [String], of routes: [Route]) {
        self.init(methods, headers: routes.map { ($0.method.name, $0.crossOriginHeaders) })
    }
}

extension Route {
    /// Makes the route that answers `OPTIONS` for a resource (RFC 9110 §9.3.7).
    static func options(
        at path: PathTemplate,
        _ methods: [String],
        _ preflight: PreflightAnswer,
        needs access: RouteAccess
    ) -> Route {
        Route(
            method: .options,
            path: path,
            id: "options",
            summary: "The methods of the resource.",
            answers: [.init(204, "The methods are in the header Allow.", headers: ["Allow"])],
            access: access,
            isServedDuringDrain: true
        ) { request in
            request.environment.web.crossOrigin?.addPreflightFields(to: request.exchange, preflight)
            request.respond(.options(methods))
        }
    }

    /// Makes a route that answers the preflights of all resources alike. A preflight has no
    /// credential. So the answer must not reveal which resources a policy hides, and even paths
    /// without a resource get this answer.
    static func answeringPreflights(of routes: [Route]) -> Route {
        let methods = Set(routes.map(\.method.bit)).sorted().compactMap { bit in
            routes.first { $0.method.bit == bit }?.method.name
        }
        var headers: [String] = []
        for name in routes.flatMap(\.crossOriginHeaders) where !headers.contains(name) {
            headers.append(name)
        }
        let preflight = PreflightAnswer(ofAll: methods, headers: headers)
        return .options(at: PathTemplate("/"), methods, preflight, needs: .everyone)
    }

    /// The header fields that the route reads, so that a preflight allows pages to send them.
    fileprivate var crossOriginHeaders: [String] {
        let ofBody = body.kind == .none ? [] : ["Content-Type"]
        let read = parameters.map(\.description).filter { $0.location == .header }
        return ["Authorization"] + ofBody + read.map(\.name)
    }
}
