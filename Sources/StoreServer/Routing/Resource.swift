import Glibc
import HTTPTransport
import Wire

/// All routes of one path.
final class Resource: Sendable {
    let path: PathTemplate
    /// The methods that it has, in the order of the `Allow` field.
    let methods: [String]
    /// What each parameter of the path allows, in their order.
    private let parameters: [(name: String, isRest: Bool, parameter: (any RouteParameter)?)]
    private let literal: [UInt8]
    // Safety: set once, by `init`, before anybody else has it.
    private nonisolated(unsafe) var routes: [ServedRoute?]

    /// - Parameter routes: at least one; all have the same path.
    init(_ path: PathTemplate, _ routes: [Route]) {
        self.path = path
        literal = Array(path.text.utf8)
        parameters = path.segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let name): (name, false, routes.parameter(name))
            case .rest(let name): (name, true, routes.parameter(name))
            }
        }
        var served = routes
        if let get = routes.first(where: \.hasHead) { served.append(get.head) }
        let methods = (served.map(\.method) + [.options]).sorted { $0.bit < $1.bit }.map(\.name)
        self.methods = methods
        served.append(.options(at: path, methods))
        self.routes = Array(repeating: nil, count: 8)
        for route in served {
            self.routes[route.method.bit.trailingZeroBitCount] = ServedRoute(route, of: self)
        }
    }

    /// The route of a method; `nil` where the resource does not have it.
    func route(for method: RequestMethod) -> ServedRoute? {
        method.bit == 0 ? nil : routes[method.bit.trailingZeroBitCount]
    }

    /// Whether its one path is this one.
    func isAt(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.count == literal.count, let start = path.baseAddress else { return false }
        return memcmp(start, literal, literal.count) == 0
    }

    /// Whether a path is one of its template, with values that its parameters allow.
    func has(_ path: UnsafeRawBufferPointer) -> Bool {
        guard let values = self.path.match(path) else { return false }
        return zip(parameters, values).allSatisfy { place, text in
            guard !place.isRest, let parameter = place.parameter else { return true }
            // One that is badly encoded is refused in words later.
            return PercentEncoding.decode(text).map(parameter.allows) ?? true
        }
    }

    /// What the parameters of the path are in a request.
    func values(in request: HTTPExchange) throws(Problem) -> [String] {
        guard !parameters.isEmpty else { return [] }
        let found = request.withNormalizedPath { path.match($0) } ?? []
        var values: [String] = []
        for (place, text) in zip(parameters, found) {
            if place.isRest {
                values.append(text)
            } else if let value = PercentEncoding.decode(text) {
                values.append(value)
            } else {
                throw .badRequest("'\(text)' is badly percent-encoded.")
            }
        }
        return values
    }
}

/// A route in its table.
final class ServedRoute: Sendable {
    let route: Route
    unowned let resource: Resource

    init(_ route: Route, of resource: Resource) {
        self.route = route
        self.resource = resource
    }
}

extension Route {
    /// The same for `HEAD`: the library sends the head of the answer alone.
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
            isServedDuringDrain: isServedDuringDrain,
            handle: handle
        )
    }

    /// What a resource answers when it is asked what it has (RFC 9110 §9.3.7).
    fileprivate static func options(at path: PathTemplate, _ methods: [String]) -> Route {
        Route(
            method: .options,
            path: path,
            id: "options",
            summary: "The methods of the resource.",
            answers: [.init(204, "They are in Allow.", headers: ["Allow"])],
            isServedDuringDrain: true
        ) { request in
            request.respond(.options(methods))
        }
    }
}

extension [Route] {
    fileprivate func parameter(_ name: String) -> (any RouteParameter)? {
        for route in self {
            for parameter in route.parameters
            where parameter.description.place == .path && parameter.description.name == name {
                return parameter
            }
        }
        return nil
    }
}
