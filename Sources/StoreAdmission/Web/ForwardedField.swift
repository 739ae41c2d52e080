import StoreHTTPTransport

/// Reads the addresses in the fields that proxies add, in their order. Copies nothing to the heap.
enum ForwardedField {
    /// Calls `visit` with the address in the parameter `for` of each element of a `Forwarded` field
    /// (RFC 7239, section 4). Passes `nil` for an element whose `for` is absent or no address. At
    /// the first element that can't be read, passes `nil` and stops.
    static func visitForwarded(_ field: UnsafeRawBufferPointer, _ visit: (IPAddress?) -> Void) {
        var reader = Reader(bytes: field)
        while true {
            reader.skipSpace()
            guard let element = reader.takeElement() else { return visit(nil) }
            // An element may be empty (RFC 9110, section 5.6.1).
            if !element.isEmpty { visit(element.address.flatMap(address)) }
            if reader.isAtEnd { return }
        }
    }

    /// True if the first element of a `Forwarded` field has `proto=https`.
    static func isOverTLS(_ field: UnsafeRawBufferPointer) -> Bool {
        var reader = Reader(bytes: field)
        return reader.takeElement()?.scheme.map(beginsWithHTTPS) == true
    }

    /// True if a list of schemes, as in `X-Forwarded-Proto`, begins with `https`.
    static func beginsWithHTTPS(_ list: UnsafeRawBufferPointer) -> Bool {
        let first = list.prefix { $0 != UInt8(ascii: ",") }
        return UnsafeRawBufferPointer(rebasing: first).trimmed.isSameIgnoringCase(as: "https")
    }

    /// Calls `visit` with the address in each element of an `X-Forwarded-For` field. Passes `nil`
    /// for an element that is no address.
    static func visitXForwardedFor(_ field: UnsafeRawBufferPointer, _ visit: (IPAddress?) -> Void) {
        for part in field.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            visit(address(UnsafeRawBufferPointer(rebasing: part).trimmed))
        }
    }

    /// Reads the address of a node (RFC 7239, section 6) and ignores its port: `192.0.2.1`,
    /// `192.0.2.1:80`, `[2001:db8::1]:80`. Also reads the form of `X-Forwarded-For`, `2001:db8::1`.
    private static func address(_ node: UnsafeRawBufferPointer) -> IPAddress? {
        if node.first == UInt8(ascii: "[") {
            guard let end = node.firstIndex(of: UInt8(ascii: "]")),
                isEmptyOrPort(node[(end + 1)...])
            else { return nil }
            return IPAddress(UnsafeRawBufferPointer(rebasing: node[1..<end]))
        }
        let colon = UInt8(ascii: ":")
        if let first = node.firstIndex(of: colon), first == node.lastIndex(of: colon) {
            guard isEmptyOrPort(node[first...]) else { return nil }
            return IPAddress(UnsafeRawBufferPointer(rebasing: node[..<first]))
        }
        return IPAddress(node)
    }

    /// True if the text is empty, or a colon and a port.
    private static func isEmptyOrPort(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let first = rest.first else { return true }
        let digits = rest.dropFirst()
        return first == UInt8(ascii: ":") && 1...5 ~= digits.count
            && digits.allSatisfy { 48...57 ~= $0 }
    }
}

/// The content of one element of a `Forwarded` field.
private struct Element {
    var isEmpty = true
    /// The value of `for`; `nil` if the element has none.
    var address: UnsafeRawBufferPointer?
    /// The value of `proto`; `nil` if the element has none.
    var scheme: UnsafeRawBufferPointer?
}

/// Reads the elements of a `Forwarded` field: `name=value` pairs with semicolons between them. A
/// value is a token or a quoted string. In a quoted string, commas and semicolons separate nothing.
private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var position = 0

    var isAtEnd: Bool { position >= bytes.count }

    private var nextByte: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func skipSpace() {
        while let byte = nextByte, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    /// Reads the next element and the comma behind it. Returns `nil` if the element is malformed.
    mutating func takeElement() -> Element? {
        var element = Element()
        while true {
            skipSpace()
            if nextByte == nil { return element }
            if skipIfNext(",") { return element }
            if skipIfNext(";") { continue }
            guard let name = takeToken(), skipIfNext("="), let value = takeValue() else {
                return nil
            }
            element.isEmpty = false
            if name.isSameIgnoringCase(as: "for") {
                // An element with two parameters `for` is refused. If the proxy has copied the
                // client's text, the client may have written one of the two parameters.
                guard element.address == nil else { return nil }
                element.address = value
            }
            if name.isSameIgnoringCase(as: "proto") { element.scheme = value }
            skipSpace()
            guard nextByte == nil || nextByte == UInt8(ascii: ",") || nextByte == UInt8(ascii: ";")
            else {
                return nil
            }
        }
    }

    private mutating func skipIfNext(_ byte: Unicode.Scalar) -> Bool {
        guard nextByte == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func takeToken() -> UnsafeRawBufferPointer? {
        let start = position
        while let byte = nextByte, byte.isTokenOrAddressByte { position += 1 }
        return position > start ? UnsafeRawBufferPointer(rebasing: bytes[start..<position]) : nil
    }

    private mutating func takeValue() -> UnsafeRawBufferPointer? {
        guard skipIfNext("\"") else { return takeToken() }
        let start = position
        while let byte = nextByte, byte != UInt8(ascii: "\"") {
            // No address contains an escape; the character behind the backslash belongs to the
            // string.
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard !isAtEnd else { return nil }
        defer { position += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }
}

extension UInt8 {
    /// True if the byte may be part of a token (RFC 9110, section 5.6.2) or of an address. A colon
    /// and brackets are allowed, too: some proxies leave out the quotes that these characters need.
    fileprivate var isTokenOrAddressByte: Bool {
        switch self {
        case 48...57, 65...90, 97...122: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns true if the bytes are `word`, in upper or lower case. `word` itself is in lower
    /// case.
    fileprivate func isSameIgnoringCase(as word: StaticString) -> Bool {
        count == word.utf8CodeUnitCount && beginsIgnoringCase(with: word)
    }

    /// Returns true if the bytes begin with `word`, in upper or lower case. `word` itself is in
    /// lower case.
    func beginsIgnoringCase(with word: StaticString) -> Bool {
        count >= word.utf8CodeUnitCount
            && (0..<word.utf8CodeUnitCount).allSatisfy { self[$0] | 0x20 == word.utf8Start[$0] }
    }

    /// The bytes without the spaces around them.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        var part = self[...]
        while let byte = part.first, byte == 0x20 || byte == 0x09 { part = part.dropFirst() }
        while let byte = part.last, byte == 0x20 || byte == 0x09 { part = part.dropLast() }
        return UnsafeRawBufferPointer(rebasing: part)
    }
}
