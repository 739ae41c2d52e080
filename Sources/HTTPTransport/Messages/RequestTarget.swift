/// A request target (RFC 9112 §3.2), taken apart but not decoded.
struct RequestTarget {
    let path: String
    let query: String?
    /// The authority of an absolute target, which goes before the `Host` field.
    let authority: String?

    /// Reads an origin-form (`/state?after=1`) or an absolute-form (`http://host/state`).
    init(_ bytes: [UInt8]) throws(TransportFailure) {
        guard bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw .malformed("The request target has bytes that must be percent-encoded.")
        }
        var rest = bytes[...]
        var authority: String?
        if rest.first != UInt8(ascii: "/") {
            let scheme = Array("http://".utf8)
            guard rest.count > scheme.count,
                zip(rest, scheme).allSatisfy({ $0 == $1 || ($0 | 0x20) == $1 })
            else { throw .malformed("The request target must begin with / or http://.") }
            rest = rest.dropFirst(scheme.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            let host = rest[..<(end ?? rest.endIndex)]
            guard !host.isEmpty, !host.contains(UInt8(ascii: "@")) else {
                throw .malformed("The request target has no host, or one with user information.")
            }
            authority = String(decoding: host, as: UTF8.self)
            rest = rest[(end ?? rest.endIndex)...]
        }
        self.authority = authority
        guard !rest.contains(UInt8(ascii: "#")) else {
            throw .malformed("A request target has no fragment.")
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
            rest = rest[..<mark]
        } else {
            query = nil
        }
        path = rest.isEmpty ? "/" : String(decoding: rest, as: UTF8.self)
    }
}
