import Glibc
import StoreAdmission
import StoreAuthorization
import StoreHTTPTransport
import StoreMetrics
import StoreTexts
import StoreWire

/// All routes of one path.
final class Resource: Sendable {
    let path: PathTemplate
    /// The methods of the resource, in the order of the `Allow` field, without `OPTIONS`.
    let methods: [String]
    /// The listeners at which the resource is served: all listeners that any of its routes has.
    private let audience: RouteAudience
    /// The values that each path parameter allows, in their order; `nil` if it allows any text.
    private let parameters: [(any RouteParameter)?]
    private let literal: [UInt8]
    /// The access that the first route needs.
    let access: RouteAccess
    /// The routes, by the index of their method's bit.
    private let routes: [ServedRoute?]

    /// Makes a resource of at least one route; all routes have this path.
    init(_ path: PathTemplate, _ routes: [Route], in environment: RequestEnvironment) {
        self.path = path
        literal = Array(path.text.utf8)
        parameters = path.parameters.enumerated().map { index, name in
            path.isRest(index) ? nil : routes.parameter(name)
        }
        var served = routes
        if let get = routes.first(where: \.hasHead) { served.append(get.head) }
        let methods = served.map(\.method).sorted { $0.bit < $1.bit }.map(\.name)
        self.methods = methods
        let audiences = routes.map(\.audience)
        audience = audiences.dropFirst().reduce(audiences.first ?? .all) { $0 == $1 ? $0 : .all }
        access = routes.first?.access ?? .everyone
        let preflight = Preflight(methods, of: served)
        served.append(.options(at: path, methods, preflight, needs: access.forOptions))
        var places = [ServedRoute?](repeating: nil, count: UInt8.bitWidth)
        for route in served {
            places[route.method.bit.trailingZeroBitCount] = ServedRoute(route, in: environment)
        }
        self.routes = places
    }

    /// True if the resource is served at the listeners of operators, or at the listeners of
    /// clients.
    func isServed(toOperators: Bool) -> Bool { audience.isServed(toOperators: toOperators) }

    /// Makes the resource `*`, which stands for the server. `OPTIONS *` lists the methods of all
    /// routes.
    init(server methods: [RequestMethod], in environment: RequestEnvironment) {
        path = PathTemplate("*")
        literal = Array(path.text.utf8)
        parameters = []
        self.methods = methods.map(\.name)
        access = .everyone
        audience = .all
        var places = [ServedRoute?](repeating: nil, count: UInt8.bitWidth)
        places[RequestMethod.options.bit.trailingZeroBitCount] = ServedRoute(
            .options(at: path, self.methods, Preflight(self.methods, of: []), needs: access),
            in: environment
        )
        routes = places
    }

    /// Returns the route of a method; `nil` if the resource does not have it.
    func route(for method: RequestMethod) -> ServedRoute? {
        let bit = method.bit
        return bit == 0 ? nil : routes[bit.trailingZeroBitCount]
    }

    /// True if a path is the literal path of this resource.
    func isAt(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.count == literal.count, let start = path.baseAddress else { return false }
        return memcmp(start, literal, literal.count) == 0
    }

    /// True if a path fits the template, with values that its parameters allow.
    func has(_ path: UnsafeRawBufferPointer) -> Bool {
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

extension Route {
    /// The same route for `HEAD`: the library sends only the head of the answer.
    var head: Route {
        Route(
            method: .head,
            path: path,
            id: "head" + id.dropFirst("get".count),
            summary: "The headers alone: " + summary,
            parameters: parameters,
            answers: answers,
            problems: problems,
            access: access,
            audience: audience,
            isServedDuringDrain: isServedDuringDrain,
            handle: handle
        )
    }

    /// Makes the route that answers `OPTIONS` for a resource (RFC 9110 §9.3.7).
    fileprivate static func options(
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
}

extension [Route] {
    fileprivate func parameter(_ name: String) -> (any RouteParameter)? {
        for route in self {
            for parameter in route.parameters
            where parameter.description.place == .path && parameter.description.name == name {
                return parameter.allowsAnything ? nil : parameter
            }
        }
        return nil
    }
}

/// A route in its table, with the values that every request reads.
final class ServedRoute: Sendable {
    enum BodyKind {
        case none, json, optionalJSON
    }

    let route: Route
    let environment: RequestEnvironment
    let bodyKind: BodyKind
    let times: RouteTimes

    init(_ route: Route, in environment: RequestEnvironment) {
        self.route = route
        self.environment = environment
        times = environment.times.times(ofRoute: route.path.text, route.method.name)
        bodyKind =
            switch route.body {
            case .none: .none
            case .json: .json
            case .optionalJSON: .optionalJSON
            }
    }

    /// Returns the access that a request needs from the sender's role.
    func need(of request: HTTPExchange) throws(Problem) -> RouteNeed {
        try route.access.need(of: request, at: route.path)
    }

    /// Returns the query of a request; `nil` if it has none.
    func query(of request: HTTPExchange) throws(Problem) -> Query? {
        guard request.hasQuery else { return nil }
        return try Query(request.query ?? "", allowed: route.parameters)
    }

    /// Lends the rest of the path behind its fixed part, still encoded, with the slash before it.
    func withRest<R>(
        of request: HTTPExchange,
        _ body: (UnsafeRawBufferPointer) -> R?
    ) -> R? {
        var found: R?
        _ = request.withNormalizedPath { path in
            route.path.match(path) { value in
                found = body(value)
                return true
            }
        }
        return found
    }
}
