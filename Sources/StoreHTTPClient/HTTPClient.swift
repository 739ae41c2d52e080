public import StoreCore
import StoreWire

/// Sends requests to HTTP servers, for effects. It is the value of ``HTTPClientKey``, so a test can
/// set its own.
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
    /// Sends a request and waits for the whole response, whatever its status is.
    ///
    /// - Throws: ``HTTPClientError`` where there is no response, `CancellationError` where the task
    ///   is cancelled; the connection is closed then.
    func response(to request: HTTPRequest) async throws -> HTTPResponse
}

extension HTTPClient {
    /// Sends a request and reads the JSON of a response whose status is 2xx.
    ///
    /// - Throws: as ``response(to:)``, and ``HTTPClientError`` where the status is another
    ///   (``HTTPClientError/Code/status``) or the JSON does not fit the type
    ///   (``HTTPClientError/Code/content``).
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

/// The client of effects: `try context.dependencies.http`.
public enum HTTPClientKey: DependencyKey {
    /// One client for all, on libcurl; its thread starts with the first use.
    public static let live: any HTTPClient = CurlClient()
}

extension Dependencies {
    /// Sends requests to HTTP servers. A test sets ``HTTPClientKey``, or none is there.
    public var http: any HTTPClient {
        get throws { try self[HTTPClientKey.self] }
    }
}
