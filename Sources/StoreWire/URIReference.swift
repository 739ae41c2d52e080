import StoreJSON

/// The syntax of URI references (RFC 3986 §4.1): `https://example.com/store`, `urn:x:y`, `/store`.
package enum URIReference {
    /// A description of a valid text, for error messages.
    package static let allowedDescription =
        "a URI reference (RFC 3986), such as /store or https://example.com/x"

    /// Returns true if a text is a URI reference. Returns false for the empty text, although RFC
    /// 3986 permits it as a reference to the same document.
    package static func isValid(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        guard !rest.isEmpty, hasCompleteEscapes(rest) else { return false }
        // Check the fragment and cut it off, then the query.
        for mark in "#?".utf8 {
            guard let start = rest.firstIndex(of: mark) else { continue }
            guard hasOnly(rest[start...].dropFirst(), pathCharacters + "/?") else { return false }
            rest = rest[..<start]
        }
        // If the first segment has a colon, the text before the colon is a scheme.
        let segment = rest.prefix { $0 != UInt8(ascii: "/") }
        if let colon = segment.firstIndex(of: UInt8(ascii: ":")) {
            guard isScheme(rest[..<colon]) else { return false }
            rest = rest[rest.index(after: colon)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard isAuthority(rest[..<end]) else { return false }
            rest = rest[end...]
        }
        return hasOnly(rest, pathCharacters + "/")
    }

    private typealias TextBytes = Substring.UTF8View

    private static let unreservedCharacters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    private static let subDelimiters = "!$&'()*+,;="
    private static let pathCharacters = unreservedCharacters + subDelimiters + "%:@"

    private static func hasOnly(_ bytes: TextBytes, _ allowed: String) -> Bool {
        bytes.allSatisfy { allowed.utf8.contains($0) }
    }

    private static func hasCompleteEscapes(_ bytes: TextBytes) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        return parts.dropFirst().allSatisfy { part in
            let digits = part.prefix(2)
            return digits.count == 2 && hasOnly(digits, "0123456789ABCDEFabcdef")
        }
    }

    private static func isScheme(_ bytes: TextBytes) -> Bool {
        guard let first = bytes.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else {
            return false
        }
        return hasOnly(bytes, unreservedCharacters + "+")
            && !bytes.contains { "_~".utf8.contains($0) }
    }

    /// Returns true for a host, with or without user information and a port. The host may be an IP
    /// address in brackets.
    private static func isAuthority(_ bytes: TextBytes) -> Bool {
        var host = bytes
        if let at = host.lastIndex(of: UInt8(ascii: "@")) {
            guard hasOnly(host[..<at], unreservedCharacters + subDelimiters + "%:") else {
                return false
            }
            host = host[host.index(after: at)...]
        }
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let literal = host[..<end].dropFirst()
            guard !literal.isEmpty, hasOnly(literal, unreservedCharacters + subDelimiters + ":")
            else {
                return false
            }
            host = host[host.index(after: end)...]
            return host.isEmpty || isColonAndPort(host)
        }
        let end = host.firstIndex(of: UInt8(ascii: ":")) ?? host.endIndex
        return hasOnly(host[..<end], unreservedCharacters + subDelimiters + "%")
            && (end == host.endIndex || isColonAndPort(host[end...]))
    }

    private static func isColonAndPort(_ bytes: TextBytes) -> Bool {
        bytes.first == UInt8(ascii: ":") && hasOnly(bytes.dropFirst(), "0123456789")
    }
}
