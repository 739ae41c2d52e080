package import StoreJSON

package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Bytes that are sent from their own memory, without a copy.
        case shared(Bytes)

        package var count: Int {
            switch self {
            case .none: 0
            case .bytes(let bytes): bytes.count
            case .shared(let bytes): bytes.count
            }
        }
    }

    package let status: Int
    package var fields: HTTPFields
    package var body: Body
    package var closesConnection = false

    package init(status: Int, headers: [(String, String)] = [], body: Body = .none) {
        self.init(status: status, fields: HTTPFields(headers), body: body)
    }

    package init(status: Int, fields: HTTPFields, body: Body = .none) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package var headers: [(String, String)] { fields.namesAndValues }

    /// Returns the whole response as bytes, with these further fields, for an answer that bypasses
    /// the library.
    func serialized(addingFields: HTTPFields) -> [UInt8] {
        var head =
            "HTTP/1.1 \(status) \(Self.reasonPhrase(ofStatus: status))\r\nDate: \(HTTPDate.now)\r\n"
        for (name, value) in headers + addingFields.namesAndValues {
            head += "\(name): \(value)\r\n"
        }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        var bytes = Array(head.utf8)
        switch body {
        case .none: break
        case .bytes(let body): bytes += body
        case .shared(let body): body.withUnsafeBytes { bytes += $0 }
        }
        return bytes
    }

    private static func reasonPhrase(ofStatus status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 431: "Request Header Fields Too Large"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status \(status)"
        }
    }
}
