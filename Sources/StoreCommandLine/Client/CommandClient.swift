import StoreCurl

/// Sends the requests of commands to a server, and waits for the answers. Each request has a
/// connection of its own, and uses no proxy. The commands are for a server on the same machine, or
/// on the same network.
struct CommandClient: Sendable {
    /// The maximum size of an answer, in bytes.
    static let answerBytesMax = 1 << 30

    private static let curlClient = CurlClient(usesProxies: false)

    /// The host and the port, as in a `Host` header.
    let authority: String
    /// The path of the address, without a slash at the end.
    let path: String
    /// The credential that each request has; `nil` if the requests have no credential.
    private let credential: Credential?

    /// Reads `http://HOST:PORT`, with or without a path; returns `nil` for any other text.
    init?(_ url: String, credential: Credential? = nil) {
        let scheme = "http://"
        guard url.hasPrefix(scheme) else { return nil }
        let addressAndPath = url.dropFirst(scheme.count)
        let slash = addressAndPath.firstIndex(of: "/") ?? addressAndPath.endIndex
        let authority = addressAndPath[..<slash]
        guard let colon = authority.lastIndex(of: ":"),
            let port = UInt16(authority[authority.index(after: colon)...])
        else { return nil }
        var host = authority[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("@"),
            !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { return nil }
        self.credential = credential
        self.authority = (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        path = String(
            addressAndPath[slash...].hasSuffix("/")
                ? addressAndPath[slash...].dropLast() : addressAndPath[slash...]
        )
    }

    /// Returns the error message for a text that is not an address.
    static func invalidAddressMessage(_ url: String) -> String {
        "'\(url)' is not an address; allowed is http://HOST:PORT/PATH"
    }

    /// Sends a request, and waits at most `seconds` for the whole answer. The URL of the request is
    /// the address followed by ``path`` and `target`.
    func exchange(
        _ method: HTTPRequest.Method,
        _ target: String,
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        seconds: Int
    ) throws(CommandClientError) -> HTTPResponse {
        var request = HTTPRequest(
            method,
            "http://\(authority)\(path)\(target)",
            headers: headers,
            body: body,
            timeout: .seconds(seconds)
        )
        request.headers.add("Connection", "close")
        if let credential { request.headers.add("Authorization", credential.authorization) }
        request.responseBytesMax = Self.answerBytesMax
        request.redirectsMax = 0
        do { return try Self.curlClient.waitForResponse(to: request) } catch {
            throw CommandClientError(error, at: authority)
        }
    }
}

/// The reason why a request has no usable answer, as a text for the user.
struct CommandClientError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    fileprivate init(_ error: any Error, at authority: String) {
        guard let error = error as? HTTPClientError else {
            self.init("\(authority): \(error)")
            return
        }
        switch error.code {
        case .unreachable: self.init("no server answers at \(authority)")
        case .timeout: self.init("\(authority) does not answer in time")
        case .malformed: self.init("\(authority) sends no complete HTTP answer")
        default: self.init("no answer from \(authority): \(error.cause)")
        }
    }
}
