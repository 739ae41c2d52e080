public import StoreWire

/// A whole response, whatever its status is.
public struct HTTPResponse: Sendable, Equatable {
    /// The status (RFC 9110 §15).
    public var status: Int
    /// The header fields of the last answer, behind all redirects.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]
    /// Where it came from, behind all redirects.
    public var url: String

    /// Makes a response: what a double in a test answers with.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: String = "") {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// Whether the status is one of 200 to 299.
    public var isSuccess: Bool { 200...299 ~= status }

    /// The body as a value.
    ///
    /// - Throws: `JSONError` with the offset and the pointer of what is wrong.
    public func json<T: Decodable>(_ type: T.Type = T.self) throws(JSONError) -> T {
        // Its size has been bounded by the request.
        try JSONDecoder(limits: JSONLimits(bytesMax: .max)).decode(type, from: body)
    }
}
