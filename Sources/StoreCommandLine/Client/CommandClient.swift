import Glibc

/// A small HTTP client, for the commands that send requests to a server.
///
/// Each request has a connection of its own, and is HTTP/1.0 (RFC 1945), so that no answer comes in
/// chunks.
struct CommandClient: Sendable {
    /// The maximum size of an answer, in bytes.
    static let answerBytesMax = 1 << 30

    /// A request of a command.
    struct Request {
        let method: String
        let target: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]?

        init(
            _ method: String,
            _ target: String,
            headers: [(name: String, value: String)] = [],
            body: [UInt8]? = nil
        ) {
            self.method = method
            self.target = target
            self.headers = headers
            self.body = body
        }

        fileprivate var bytes: [UInt8] {
            var fields = headers
            if let body { fields.append(("Content-Length", "\(body.count)")) }
            let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
            return Array("\(method) \(target) HTTP/1.0\r\n\(lines)\r\n".utf8) + (body ?? [])
        }
    }

    private let host: String
    private let port: String
    /// The path of the address, without a slash at the end.
    let path: String
    /// The credential that each request shows; `nil`: none.
    private let credential: Credential?

    /// Reads `http://HOST:PORT`, with or without a path; returns `nil` for any other text.
    init?(_ url: String, credential: Credential? = nil) {
        let scheme = "http://"
        guard url.hasPrefix(scheme) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        guard let colon = authority.lastIndex(of: ":"),
            UInt16(authority[authority.index(after: colon)...]) != nil
        else { return nil }
        var host = authority[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            return nil
        }
        self.host = String(host)
        self.credential = credential
        port = String(authority[authority.index(after: colon)...])
        path = String(rest[slash...].hasSuffix("/") ? rest[slash...].dropLast() : rest[slash...])
    }

    /// Returns the message about a text that is not an address.
    static func noAddress(_ url: String) -> String {
        "'\(url)' is not an address; allowed is http://HOST:PORT/PATH"
    }

    /// The host and the port, as in a `Host` header.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// Sends a request and returns the answer. Each read or write may take `stepSeconds`.
    ///
    /// - Throws: ``CommandClientError`` if no server accepts the request, or no complete answer
    ///   comes in time.
    func exchange(
        _ request: Request,
        stepSeconds: Int
    ) throws(CommandClientError) -> CommandAnswer {
        guard let connection = ClientSocket(host, port, stepSeconds: stepSeconds) else {
            throw CommandClientError("no server answers at \(authority)")
        }
        var request = request
        if let credential { request.headers.append(credential.header) }
        guard connection.send(request.bytes) else {
            throw CommandClientError("\(authority) does not accept a request")
        }
        guard let bytes = connection.readAll(bytesMax: Self.answerBytesMax) else {
            throw CommandClientError("\(authority) does not answer in time")
        }
        guard let answer = CommandAnswer(bytes) else {
            throw CommandClientError("\(authority) sends no complete HTTP answer")
        }
        return answer
    }
}

/// The reason why there is no answer, in a sentence for the command line.
struct CommandClientError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
