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

/// A complete HTTP answer.
struct CommandAnswer {
    let status: Int
    private let headers: [(name: String, value: String)]
    let body: [UInt8]

    /// Reads all bytes that came on a connection; returns `nil` if they are not a complete answer.
    init?(_ bytes: [UInt8]) {
        let mark = Array("\r\n\r\n".utf8)
        guard
            let end = bytes.indices.dropLast(mark.count - 1)
                .first(where: { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
        else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let first = lines.first?.split(separator: " ") ?? []
        guard first.count >= 2, first[0].hasPrefix("HTTP/1."), let status = Int(first[1]) else {
            return nil
        }
        self.status = status
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (parts.first.map { $0.lowercased() } ?? "", String(value))
        }
        body = Array(bytes[(end + mark.count)...])
        if let length = self["content-length"], Int(length) != body.count { return nil }
    }

    /// The value of the first header with this name, which has to be in lower case.
    subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}

/// A credential that a command shows to a server: an API key or a JWT.
///
/// The credential comes from a file or from the environment. On a command line it would stay in the
/// shell's history, and other users of the machine could read it.
struct Credential: Equatable, Sendable {
    /// The variable that contains the credential; the variable with `_FILE` appended names its
    /// file.
    static let variable = ConfigurationOptions.environmentPrefix + "TOKEN"
    /// The maximum size of a credential, in bytes.
    static let bytesMax = 8 << 10

    private let token: String

    /// Reads the credential from the text of a file or a variable, which must be a single line.
    ///
    /// - Throws: ``UsageError``, without the text: it may be a secret.
    init(_ text: String, of origin: String) throws(UsageError) {
        let line = text.utf8.reversed().drop { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
        guard 1...Self.bytesMax ~= line.count, line.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw UsageError(
                "\(origin): this is not a credential; allowed are 1 to \(Self.bytesMax) visible "
                    + "characters in one line"
            )
        }
        token = String(decoding: line.reversed(), as: UTF8.self)
    }

    /// The header field that shows the credential (RFC 6750, 2.1).
    var header: (name: String, value: String) { ("Authorization", "Bearer \(token)") }
}
