import Glibc

/// `store-server --health [URL]`: asks a running server whether it is ready, so that a container's
/// health check needs no other program.
enum HealthClient {
    static let standardURL = "http://127.0.0.1:8080/readyz"
    /// How long each step of the exchange may take.
    static let stepSeconds = 3

    /// Asks once. Answers `nil` where the server is ready, or else why not.
    static func ask(_ url: String) -> String? {
        guard let (host, port, path) = parse(url) else {
            return "'\(url)' is no address; allowed is http://HOST:PORT/PATH"
        }
        guard let descriptor = connect(host, port) else {
            return "nobody answers at \(host):\(port)"
        }
        defer { close(descriptor) }
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8
        )
        guard send(descriptor, request, request.count, CInt(MSG_NOSIGNAL)) == request.count else {
            return "\(host):\(port) takes no request"
        }
        var answer = [UInt8](repeating: 0, count: 12)
        var count = 0
        while count < answer.count {
            let got = answer.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, 0)
            }
            guard got > 0 else { return "\(host):\(port) does not answer in time" }
            count += got
        }
        let status = String(decoding: answer[9...], as: UTF8.self)
        return status == "200" ? nil : "\(url) answers \(status)"
    }

    private static func parse(_ url: String) -> (host: String, port: String, path: String)? {
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
        let path = slash == rest.endIndex ? "/readyz" : String(rest[slash...])
        guard !path.contains(where: { $0.isWhitespace || $0.isNewline }) else { return nil }
        return (String(host), String(authority[authority.index(after: colon)...]), path)
    }

    private static func connect(_ host: String, _ port: String) -> CInt? {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &found) == 0 else { return nil }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            next = address.ai_next
            let descriptor = socket(
                address.ai_family,
                address.ai_socktype | CInt(SOCK_CLOEXEC.rawValue),
                0
            )
            guard descriptor >= 0 else { continue }
            var limit = timeval(tv_sec: stepSeconds, tv_usec: 0)
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                return descriptor
            }
            close(descriptor)
        }
        return nil
    }
}
