import StoreAdmission
package import StoreHTTPTransport
import StoreJSON
import StoreWire

extension Problem {
    /// Makes the response. The body has the request's id, and the name of the store if the store
    /// has a name.
    func response(for id: RequestID, in store: String? = nil) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: responseHeaders.map { ($0.name, $0.value) },
            body: .shared(with(instance: instance ?? id.text, store: store).body)
        )
    }

    /// Makes the problem for a refusal of the transport.
    package init(_ failure: TransportFailure) {
        switch failure {
        case .malformed(let detail): self = .badRequest(detail)
        case .versionNotSupported: self = .httpVersionNotSupported()
        case .headersTooLarge(let limit): self = .headersTooLarge(limit: limit)
        case .tooManyFields(let limit): self = .headersTooLarge(fields: limit)
        case .uriTooLong(let limit): self = .uriTooLong(limit: limit)
        case .bodyTooLarge(let limit): self = .tooLarge(limit: limit)
        case .bodiesLimit(let limit):
            self = .overloaded(
                "the bodies of all requests together use the \(limit) bytes that "
                    + "they may use"
            )
        case .bodiesLimitPerClient(let limit):
            self = .overloaded(
                "the bodies and answers of your address or principal use \(limit) bytes, "
                    + "the most that they may use"
            )
        case .timeout(let part, let seconds): self = .timeout(of: part, seconds: seconds)
        case .connectionLimit(let limit):
            self = .overloaded("all of the \(limit) connections that this server takes are in use")
        case .connectionLimitPerAddress(let limit):
            self = .overloaded(
                "your address has \(limit) connections, which is the most it may have"
            )
        case .stopping: self = .draining()
        }
    }
}

extension HTTPResponse {
    /// Makes a response that clients and proxies must not cache.
    static func uncached(
        status: Int = 200,
        _ body: [UInt8],
        as type: String = "application/json",
        addingFields: [(String, String)] = []
    ) -> HTTPResponse {
        let headers = [("Content-Type", type), ("Cache-Control", "no-store")] + addingFields
        return HTTPResponse(status: status, headers: headers, body: .bytes(body))
    }

    /// Makes a response with a JSON object that clients and proxies must not cache.
    static func uncached(
        status: Int = 200,
        addingFields: [(String, String)] = [],
        _ members: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var json = JSONWriter()
        json.object(members)
        return .uncached(status: status, json.byteArray, addingFields: addingFields)
    }

    static func options(_ methods: [String]) -> HTTPResponse {
        let fields = [("Allow", methods.joined(separator: ", ")), ("Cache-Control", "no-store")]
        return HTTPResponse(status: 204, headers: fields)
    }

    /// The answer 204: the request was carried out, and there is no body.
    static let noContent = HTTPResponse.noContent(settingCookies: [])

    /// Makes an answer 204 that sets or deletes these cookies.
    static func noContent(settingCookies cookies: [(String, String)]) -> HTTPResponse {
        HTTPResponse(status: 204, headers: [("Cache-Control", "no-store")] + cookies)
    }
}

extension JSONWriter {
    /// Writes a member that is `null` if there is no value.
    mutating func member(_ name: String, orNull value: String?) {
        key(name)
        if let value { string(value) } else { null() }
    }
}
