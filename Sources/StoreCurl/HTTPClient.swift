import StoreJSON

/// A client that sends requests to HTTP servers. Effects get the client from their dependencies, by
/// `HTTPClientKey` of the library `StoreHTTPClient`, so a test can set another client.
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
            throw HTTPClientError(.content, request, error.messageWithPointer)
        }
    }
}

/// The reason why a request has no answer, or no usable answer.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of failure; later versions may add kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// Makes a kind from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request cannot be sent: its URL, its method or a header field is invalid.
        public static let request = Code(rawValue: "request")
        /// There is no connection: the name is unknown, or the peer refused or broke the
        /// connection.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The TLS connection failed, for example because the peer's certificate is not trusted.
        public static let certificate = Code(rawValue: "certificate")
        /// The request took longer than its timeout.
        public static let timeout = Code(rawValue: "timeout")
        /// The answer is larger than the request allows.
        public static let tooLarge = Code(rawValue: "too-large")
        /// There are too many redirects, or a redirect leads to a forbidden scheme.
        public static let redirect = Code(rawValue: "redirect")
        /// The answer is not HTTP, or ends too soon.
        public static let malformed = Code(rawValue: "malformed")
        /// The answer's status is not in 200 to 299.
        public static let status = Code(rawValue: "status")
        /// The JSON in the answer's body does not fit the expected type.
        public static let content = Code(rawValue: "content")
        /// The library that sends requests, libcurl, cannot be loaded.
        public static let unavailable = Code(rawValue: "unavailable")
        /// Too many requests are being transferred, or libcurl takes no request.
        public static let busy = Code(rawValue: "busy")
    }

    /// The kind of failure.
    public let code: Code
    /// The method of the request.
    public let method: HTTPRequest.Method
    /// The URL without the parts that may be secret: user, password, query and fragment.
    public let url: String
    /// The cause in words.
    public let cause: String

    /// Makes an error, for a test that replaces the client.
    public init(_ code: Code, _ request: HTTPRequest, _ cause: String) {
        self.code = code
        method = request.method
        url = CurlURL.redacted(request.url)
        self.cause = cause
    }

    /// The method, the URL and the cause.
    public var description: String { "\(method.rawValue) \(url): \(cause)" }
}

extension JSONError {
    /// The pointer to the part of the document with the error, followed by the message.
    var messageWithPointer: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
}
