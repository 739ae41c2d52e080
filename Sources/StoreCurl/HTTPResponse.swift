import CStoreCurl
import Glibc
public import StoreJSON

/// A whole response, with any status.
public struct HTTPResponse: Sendable, Equatable {
    /// The status (RFC 9110 §15).
    public var status: Int
    /// The header fields of the last answer, after all redirects.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]
    /// The URL of the last answer, after all redirects.
    public var url: String

    /// Makes a response, for a test that replaces the client.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], url: String = "") {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// True if the status is in 200 to 299.
    public var isSuccess: Bool { 200...299 ~= status }

    /// Decodes the body as a value.
    ///
    /// - Throws: `JSONError` with the offset and the pointer of the error.
    public func json<T: Decodable>(_ type: T.Type = T.self) throws(JSONError) -> T {
        // `HTTPRequest.responseBytesMax` has bounded the body already, so there is no other bound
        // here.
        try JSONDecoder(limits: JSONLimits(bytesMax: .max)).decode(type, from: body)
    }
}

extension HTTPResponse {
    /// The seconds until another attempt, at least 0, from the field `Retry-After` (RFC 9110
    /// §10.2.3). `nil` if the field is absent or invalid.
    package var retryAfterSeconds: Double? {
        guard let text = headers["retry-after"] else { return nil }
        if text.utf8.allSatisfy({ 48...57 ~= $0 }) { return Double(text) }
        guard CurlLibrary.loadError == nil else { return nil }
        let moment = curl().getdate(text, nil)
        return moment < 0 ? nil : max(0, Double(moment - time(nil)))
    }
}
