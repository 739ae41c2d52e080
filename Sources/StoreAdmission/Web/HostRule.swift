import Glibc
package import StoreHTTPTransport
import StoreTexts
package import StoreWire

/// Decides if a request's `Host` is allowed. The rule prevents DNS rebinding: a page in a browser
/// can't reach a loopback server under the page's own name.
///
/// The allowed hosts are loopback names and addresses, the addresses of the listeners, and the
/// operator's additional names. Ports are not compared: they differ if a container or a proxy
/// publishes the server.
package struct HostRule: Sendable {
    private let allowedHosts: Set<ExactText>

    package init(listening hosts: [String], additional: [String]) {
        allowedHosts = Set(
            (hosts + additional).map { ExactText(Self.withoutBrackets($0).lowercasedASCII) }
        )
    }

    /// True if this `Host` header, or the authority of an absolute target, is allowed.
    ///
    /// An HTTP/1.0 request without a host is allowed, because the request has no name that could
    /// mislead.
    package func allows(_ host: String?) -> Bool {
        guard let host else { return true }
        let bare = Self.withoutPort(host)
        guard Self.isEmptyOrPort(host.utf8[bare.endIndex...]) else { return false }
        // The most frequent value is allowed without a search, because this function runs for every
        // request.
        if bare == "127.0.0.1" { return true }
        // An IPv6 address is in brackets, and no other host is in brackets (RFC 3986 §3.2.2).
        guard bare.utf8.contains(UInt8(ascii: ":")) == bare.utf8.starts(with: "[".utf8) else {
            return false
        }
        let name = Self.withoutBrackets(String(bare)).lowercasedASCII
        return Self.isLoopback(name) || allowedHosts.contains(ExactText(name))
    }

    /// True if an operator's text can be a `Host` without a port.
    package static func isHost(_ text: String) -> Bool {
        let name = withoutBrackets(text)
        guard !name.isEmpty, name.utf8.count <= 255 else { return false }
        if text.hasPrefix("[") { return text.hasSuffix("]") && name.contains(":") }
        if name.utf8.filter({ $0 == UInt8(ascii: ":") }).count > 1 { return true }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122: true
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            default: false
            }
        }
    }

    /// True if a request names loopback as its host.
    package static func isLoopback(_ request: HTTPExchange) -> Bool {
        isLoopback(withoutBrackets(String(withoutPort(request.host ?? ""))).lowercasedASCII)
    }

    /// True if a host without brackets and port is loopback: `localhost`, a subdomain of
    /// `localhost`, 127.0.0.0/8 or ::1.
    package static func isLoopback(_ name: String) -> Bool {
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Returns the host without its port: `[::1]:80` → `[::1]`, `a:80` → `a`.
    ///
    /// The search compares bytes, because it runs for every request: a search for characters takes
    /// 0.5 µs.
    static func withoutPort(_ host: String) -> Substring {
        let bytes = host.utf8
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return host[...] }
            return host[...end]
        }
        let colon = UInt8(ascii: ":")
        guard let first = bytes.firstIndex(of: colon),
            !bytes[bytes.index(after: first)...].contains(colon)
        else { return host[...] }
        return host[..<first]
    }

    /// True if the text behind a host is empty or a port.
    private static func isEmptyOrPort(_ rest: Substring.UTF8View) -> Bool {
        guard let first = rest.first else { return true }
        return first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { 48...57 ~= $0 }
    }

    private static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}

/// Refuses a request with 421 if its `Host` names another server. A browser sends the name of
/// another server if a page's own name was rebound to this server's address.
package final class HostFilter: Sendable {
    private let hosts: HostRule
    // Safety: only the event loop's thread, which admits requests, uses the property.
    /// The authority that was allowed last. Most requests have the same `Host`, so one comparison
    /// of bytes is enough for them.
    @exclusivity(unchecked) private nonisolated(unsafe) var lastAllowedHost: [UInt8] = []

    package init(_ hosts: HostRule) { self.hosts = hosts }

    /// Checks the authority of a request.
    ///
    /// - Throws: 421 if the server may not be reached under this authority.
    package func check(_ exchange: HTTPExchange) throws(Problem) {
        let isAllowedLast = exchange.withHost { host in
            guard let host, host.count == lastAllowedHost.count, let start = host.baseAddress else {
                return false
            }
            return memcmp(start, lastAllowedHost, host.count) == 0
        }
        if isAllowedLast { return }
        guard hosts.allows(exchange.host) else { throw .misdirected(host: exchange.host ?? "") }
        lastAllowedHost = exchange.withHost { $0.map { Array($0) } ?? [] }
    }
}
