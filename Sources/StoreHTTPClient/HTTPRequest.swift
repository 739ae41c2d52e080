import StoreWire

/// A request, with the bounds of its answer.
public struct HTTPRequest: Sendable, Equatable {
    /// A method of HTTP (RFC 9110 §9).
    public struct Method: RawRepresentable, Sendable, Hashable {
        /// The method's name, in capital letters.
        public let rawValue: String

        /// Names a method.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Asks for a resource.
        public static let get = Method(rawValue: "GET")
        /// Asks for a resource's header fields.
        public static let head = Method(rawValue: "HEAD")
        /// Asks a resource to process the body.
        public static let post = Method(rawValue: "POST")
        /// Puts the body in a resource's place.
        public static let put = Method(rawValue: "PUT")
        /// Changes a resource by the patch in the body.
        public static let patch = Method(rawValue: "PATCH")
        /// Removes a resource.
        public static let delete = Method(rawValue: "DELETE")
    }

    /// What is to be done.
    public var method: Method
    /// An absolute URL: `http` or `https`, percent-encoded.
    public var url: String
    /// The header fields besides those that the connection needs.
    public var headers: HTTPHeaders
    /// What is sent with it.
    public var body: [UInt8]
    /// How long all of it may take: looking the name up, connecting, redirects and the whole
    /// answer.
    public var timeout: Duration
    /// The largest body of an answer, in bytes, 1 MiB where nothing is said.
    public var responseBytesMax = 1 << 20
    /// How many redirects are followed, for `GET` and `HEAD`; for other methods they are the
    /// answer, as they are where it is 0. From `https` none leads to `http`.
    public var redirectsMax = 5

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: what is asked of the resource.
    ///   - url: absolute, `http` or `https`, percent-encoded.
    ///   - query: is percent-encoded and added to the URL.
    ///   - headers: the header fields besides those that the connection needs.
    ///   - body: what is sent with it, as it is.
    ///   - timeout: how long all of it may take.
    public init(
        _ method: Method,
        _ url: String,
        query: KeyValuePairs<String, String> = [:],
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        timeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = Self.adding(query, to: url)
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Asks for a resource.
    public static func get(
        _ url: String,
        query: KeyValuePairs<String, String> = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration = .seconds(30)
    ) -> HTTPRequest {
        HTTPRequest(.get, url, query: query, headers: headers, timeout: timeout)
    }

    /// Sends a value as JSON.
    ///
    /// - Throws: ``HTTPClientError`` where the value has no form in JSON.
    public static func post(
        _ url: String,
        json value: some Encodable,
        headers: HTTPHeaders = [:],
        timeout: Duration = .seconds(30)
    ) throws(HTTPClientError) -> HTTPRequest {
        var request = HTTPRequest(.post, url, headers: headers, timeout: timeout)
        if request.headers["content-type"] == nil {
            request.headers.add("Content-Type", "application/json")
        }
        do {
            request.body = try JSONEncoder().encode(value)
        } catch {
            throw HTTPClientError(.request, request, error.sentence)
        }
        return request
    }

    private static func adding(_ query: KeyValuePairs<String, String>, to url: String) -> String {
        guard !query.isEmpty else { return url }
        let added = query.map { PercentEncoding.encode($0) + "=" + PercentEncoding.encode($1) }
            .joined(separator: "&")
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 ? "#" + parts[1] : ""
        return parts[0] + (parts[0].contains("?") ? "&" : "?") + added + fragment
    }
}
