import Glibc

/// An address at which a server listens: an IPv4 or IPv6 address with a port, or the path of a unix
/// socket.
package struct ListenAddress: Sendable, Equatable {
    package enum Endpoint: Sendable, Equatable {
        case inet(host: String, port: UInt16)
        case inet6(host: String, port: UInt16)
        case unix(path: String)

        /// Returns the endpoint with this port. A path is returned unchanged.
        func with(port: UInt16) -> Endpoint {
            switch self {
            case .inet(let host, _): .inet(host: host, port: port)
            case .inet6(let host, _): .inet6(host: host, port: port)
            case .unix: self
            }
        }
    }

    package let endpoint: Endpoint
    /// The listening socket that the process was started with; `nil` if the server makes one.
    let inheritedSocket: InheritedSocket?

    /// The allowed forms of the text, for error messages.
    package static let allowedForms = "IPV4:PORT, [IPV6]:PORT, unix:/PATH or fd:N"

    /// Reads `127.0.0.1:8080`, `[::1]:0`, `unix:/run/store.sock` or `fd:3`. The only allowed host
    /// name is `localhost`.
    ///
    /// A descriptor must be a listening socket that the process was started with.
    package init?(_ text: String) {
        if let descriptor = Self.parsedDescriptor(text) {
            guard let socket = try? InheritedSocket(descriptor) else { return nil }
            inheritedSocket = socket
            endpoint = socket.endpoint
            return
        }
        inheritedSocket = nil
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // sun_path has 108 bytes, and the last is NUL.
            guard !path.isEmpty, path.utf8.count <= 107 else { return nil }
            endpoint = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.parsedPort(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            let bare = String(host.dropFirst().dropLast())
            var address = in6_addr()
            guard inet_pton(AF_INET6, bare, &address) == 1 else { return nil }
            endpoint = .inet6(host: bare, port: port)
        } else {
            let bare = host == "localhost" ? "127.0.0.1" : String(host)
            var address = in_addr()
            guard inet_pton(AF_INET, bare, &address) == 1 else { return nil }
            endpoint = .inet(host: bare, port: port)
        }
    }

    init(endpoint: Endpoint) {
        self.endpoint = endpoint
        inheritedSocket = nil
    }

    /// Returns the reason why a text is not allowed as an address, or `nil` if the text is allowed.
    package static func reasonNotAllowed(_ text: String) -> String? {
        if let descriptor = parsedDescriptor(text) {
            do throws(TransportError) { _ = try InheritedSocket(descriptor) } catch {
                return error.description
            }
            return nil
        }
        return ListenAddress(text) == nil
            ? "'\(text)' is not allowed; allowed is \(allowedForms)" : nil
    }

    private static func parsedDescriptor(_ text: String) -> CInt? {
        guard text.hasPrefix("fd:") else { return nil }
        let digits = text.dropFirst(3)
        guard digits.utf8.allSatisfy({ 48...57 ~= $0 }), let descriptor = CInt(digits),
            descriptor >= InheritedSocket.firstDescriptor
        else { return nil }
        return descriptor
    }

    private static func parsedPort(_ text: Substring) -> UInt16? {
        text.utf8.allSatisfy { 48...57 ~= $0 } ? UInt16(text) : nil
    }

    /// True if only clients on this machine can reach the address.
    package var isLoopback: Bool {
        switch endpoint {
        case .inet(let host, _): host.hasPrefix("127.")
        case .inet6(let host, _): host == "::1"
        case .unix: true
        }
    }

    /// The host in the form of a `Host` header; `nil` for a path.
    package var host: String? {
        switch endpoint {
        case .inet(let host, _): host
        case .inet6(let host, _): "[\(host)]"
        case .unix: nil
        }
    }

    /// The address as a URL, or as `unix:` and the path.
    package var url: String {
        switch endpoint {
        case .inet(let host, let port): "http://\(host):\(port)"
        case .inet6(let host, let port): "http://[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
