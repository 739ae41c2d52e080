public import StoreCore
import StoreWire

/// Sends requests to HTTP servers, for effects. The client is the value of ``HTTPClientKey``, so a
/// test can set its own.
///
/// ```swift
/// func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
///     state.isLoading = true
///     return .run(id: "weather", cancelInFlight: true) { context in
///         let http = try context.dependencies.http
///         let url = "https://weather.example/now"
///         let weather = try await http.json(Weather.self, from: .get(url))
///         try await context.dispatch(Internal.loaded(weather))
///     }
/// }
/// ```
public protocol HTTPClient: Sendable {
    /// Sends a request and waits for the whole response, with any status.
    ///
    /// - Throws: ``HTTPClientError`` if there is no response. `CancellationError` if the task is
    ///   cancelled; the connection is then closed.
    func response(to request: HTTPRequest) async throws -> HTTPResponse
}

extension HTTPClient {
    /// Sends a request and decodes the JSON of a response whose status is 2xx.
    ///
    /// - Throws: the errors of ``response(to:)``. Also ``HTTPClientError``, with
    ///   ``HTTPClientError/Code/status`` for any other status, and with
    ///   ``HTTPClientError/Code/content`` if the JSON does not fit the type.
    public func json<T: Decodable>(
        _ type: T.Type = T.self,
        from request: HTTPRequest
    ) async throws -> T {
        let response = try await response(to: request)
        guard response.isSuccess else {
            throw HTTPClientError(.status, request, "the answer is \(response.status)")
        }
        do {
            return try response.json(type)
        } catch {
            throw HTTPClientError(.content, request, error.sentence)
        }
    }
}

/// The key of the client for effects: `try context.dependencies.http`.
public enum HTTPClientKey: DependencyKey {
    /// A single client for all effects, with libcurl; its thread starts when the client is first
    /// used.
    public static let live: any HTTPClient = CurlClient()
}

extension Dependencies {
    /// The client that sends requests to HTTP servers. In a test, set ``HTTPClientKey``: else the
    /// access throws.
    public var http: any HTTPClient {
        get throws { try self[HTTPClientKey.self] }
    }
}
