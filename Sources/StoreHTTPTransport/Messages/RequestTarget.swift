/// The ranges of the parts of a request target (RFC 9112 §3.2) in the target's undecoded bytes.
struct RequestTarget {
    /// The path; an empty range means `/`.
    private(set) var path = 0..<0
    private(set) var query: Range<Int>?
    /// The authority of an absolute target, which takes precedence over the `Host` field.
    private(set) var authority: Range<Int>?

    init() {}

    /// Reads an origin-form (`/state?after=1`) or an absolute-form (`http://host/state`). For
    /// `OPTIONS`, also reads the asterisk-form: `*` becomes the path.
    init(_ bytes: [UInt8], of method: RequestMethod) throws(TransportFailure) {
        if case .options = method, bytes == [UInt8(ascii: "*")] {
            path = 0..<1
        } else if let failure = bytes.withUnsafeBytes({ read($0) }) {
            throw failure
        }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) -> TransportFailure? {
        var queryMarkIndex: Int?
        var hasFragment = false
        for index in 0..<bytes.count {
            let byte = bytes[index]
            guard 0x21...0x7E ~= byte else {
                return .malformed("The request target has bytes that must be percent-encoded.")
            }
            if byte == UInt8(ascii: "?"), queryMarkIndex == nil { queryMarkIndex = index }
            if byte == UInt8(ascii: "#") { hasFragment = true }
        }
        var start = 0
        if bytes.first != UInt8(ascii: "/") {
            guard Self.beginsAbsolute(bytes) else {
                return .malformed("The request target must begin with / or http://.")
            }
            let host = bytes[7...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard !host.isEmpty, !host.contains(UInt8(ascii: "@")) else {
                return .malformed(
                    "The request target has no host, or has user information "
                        + "before the host."
                )
            }
            authority = host.startIndex..<host.endIndex
            start = host.endIndex
        }
        guard !hasFragment else { return .malformed("A request target must have no fragment.") }
        path = start..<(queryMarkIndex ?? bytes.count)
        query = queryMarkIndex.map { ($0 + 1)..<bytes.count }
        return nil
    }

    private static func beginsAbsolute(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let scheme = "http://".utf8
        return bytes.count > scheme.count
            && zip(bytes, scheme).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
    }
}
