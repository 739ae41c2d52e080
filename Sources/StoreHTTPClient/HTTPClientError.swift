import StoreWire

/// Why a request has no answer, or none that can be used.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of failure; more kinds may come.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The kind's name.
        public let rawValue: String

        /// Makes a kind of its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request can't be sent as it is: its URL, method or a header field is wrong.
        public static let request = Code(rawValue: "request")
        /// There is no connection: the name is unknown, or the peer refused or broke it.
        public static let unreachable = Code(rawValue: "unreachable")
        /// The peer does not prove who it is.
        public static let certificate = Code(rawValue: "certificate")
        /// It took longer than the request allows.
        public static let timeout = Code(rawValue: "timeout")
        /// The answer is larger than the request allows.
        public static let tooLarge = Code(rawValue: "too-large")
        /// There are more redirects than the request allows, or one leads where none may.
        public static let redirect = Code(rawValue: "redirect")
        /// The answer is not HTTP, or ends too soon.
        public static let malformed = Code(rawValue: "malformed")
        /// The answer's status is none of 200 to 299.
        public static let status = Code(rawValue: "status")
        /// The answer's body is not what was expected.
        public static let content = Code(rawValue: "content")
        /// libcurl, which sends requests, can't be loaded.
        public static let unavailable = Code(rawValue: "unavailable")
        /// As many requests are under way as may be.
        public static let busy = Code(rawValue: "busy")
    }

    /// The kind of failure.
    public let code: Code
    /// What was to be done.
    public let method: HTTPRequest.Method
    /// Where, without what could be secret: user, password, query and fragment.
    public let url: String
    /// What went wrong, in words.
    public let cause: String

    /// Makes an error: what a double in a test throws.
    public init(_ code: Code, _ request: HTTPRequest, _ cause: String) {
        self.code = code
        method = request.method
        url = CurlURL.shown(request.url)
        self.cause = cause
    }

    /// What was attempted, on what, and what went wrong.
    public var description: String { "\(method.rawValue) \(url): \(cause)" }
}

extension JSONError {
    /// What was wrong, and where.
    var sentence: String { pointer.isEmpty ? message : "\(pointer): \(message)" }
}
