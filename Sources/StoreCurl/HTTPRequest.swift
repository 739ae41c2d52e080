import StoreJSON
import StoreTexts

/// A request to an HTTP server, with its timeout and the bounds of its answer.
public struct HTTPRequest: Sendable, Equatable {
    /// A method of HTTP (RFC 9110 §9).
    public struct Method: RawRepresentable, Sendable, Hashable {
        /// The method's name, in capital letters.
        public let rawValue: String

        /// Makes a method from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The method that requests a resource.
        public static let get = Method(rawValue: "GET")
        /// The method that requests a resource's header fields.
        public static let head = Method(rawValue: "HEAD")
        /// The method that makes a resource process the body.
        public static let post = Method(rawValue: "POST")
        /// The method that replaces a resource by the body.
        public static let put = Method(rawValue: "PUT")
        /// The method that changes a resource by the patch in the body.
        public static let patch = Method(rawValue: "PATCH")
        /// The method that removes a resource.
        public static let delete = Method(rawValue: "DELETE")
    }

    /// The method of the request.
    public var method: Method
    /// An absolute URL: `http` or `https`, percent-encoded.
    public var url: String
    /// The header fields. The client itself adds the fields that the connection needs, such as
    /// `Host`.
    public var headers: HTTPHeaders
    /// The body of the request.
    public var body: [UInt8]
    /// The longest time for the whole request, from the look-up of the host's name to the last
    /// byte.
    public var timeout: Duration
    /// The largest body of an answer, in bytes; 1 MiB by default.
    public var responseBytesMax = 1 << 20
    /// The maximum number of redirects that the client follows, for `GET` and `HEAD`. For other
    /// methods, or if the bound is 0, the redirect itself is the answer. A redirect from `https` to
    /// `http` fails.
    public var redirectsMax = 5

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: an absolute URL, `http` or `https`, percent-encoded.
    ///   - query: names and values, which are percent-encoded and added to the URL.
    ///   - headers: the header fields, except the fields that the connection needs.
    ///   - body: the body, sent unchanged.
    ///   - timeout: the longest time for the whole request.
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

    /// Makes a `GET` request.
    public static func get(
        _ url: String,
        query: KeyValuePairs<String, String> = [:],
        headers: HTTPHeaders = [:],
        timeout: Duration = .seconds(30)
    ) -> HTTPRequest {
        HTTPRequest(.get, url, query: query, headers: headers, timeout: timeout)
    }

    /// Makes a `POST` request with a value as JSON.
    ///
    /// - Throws: ``HTTPClientError`` if the value cannot be encoded as JSON.
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
            throw HTTPClientError(.request, request, error.messageWithPointer)
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
