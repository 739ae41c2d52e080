import HTTPTransport
import Wire

/// A route in its table, with what is looked at for every request.
final class ServedRoute: Sendable {
    enum BodyKind {
        case none, json, optionalJSON
    }

    let route: Route
    let environment: RequestEnvironment
    let bodyKind: BodyKind

    init(_ route: Route, in environment: RequestEnvironment) {
        self.route = route
        self.environment = environment
        bodyKind =
            switch route.body {
            case .none: .none
            case .json: .json
            case .optionalJSON: .optionalJSON
            }
    }

    /// The query of a request; `nil` where there is none.
    func query(of request: HTTPExchange) throws(Problem) -> Query? {
        guard request.hasQuery else { return nil }
        return try Query(request.query ?? "", allowed: route.parameters)
    }

    /// Lends what follows the fixed part of the path, with the slash before it, as it came.
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

    /// The value of a parameter of the path, by its place among them; decoded, but for a rest,
    /// whose slashes would become others.
    ///
    /// - Throws: 400 where it is badly encoded.
    func path(_ wanted: Int, of request: HTTPExchange) throws(Problem) -> String {
        var index = 0
        var found: String?
        _ = request.withNormalizedPath { path in
            route.path.match(path) { value in
                if index == wanted { found = String(decoding: value, as: UTF8.self) }
                index += 1
                return found == nil
            }
        }
        guard let found else { throw .notFound(path: request.path) }
        guard !route.path.isRest(wanted), found.utf8.contains(UInt8(ascii: "%")) else {
            return found
        }
        guard let value = PercentEncoding.decode(found) else {
            throw .badRequest("'\(found)' is badly percent-encoded.")
        }
        return value
    }
}
