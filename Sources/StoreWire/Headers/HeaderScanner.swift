/// A cursor over one header value, with the few shapes that HTTP's grammars are made of.
///
/// Header values are bounded by the transport (16 KiB), so what is read here is too.
struct HeaderScanner {
    private(set) var rest: Substring.UTF8View

    init(_ text: some StringProtocol) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    var next: UInt8? { rest.first }

    /// Skips spaces and tabs (`OWS` and `BWS` of RFC 9110 §5.6.3).
    mutating func skipWhitespace() {
        while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
    }

    /// Skips spaces only, as structured fields ask (RFC 9651 §4.2).
    mutating func skipSpaces() {
        while rest.first == 0x20 { rest.removeFirst() }
    }

    /// Takes `scalar` when it comes next.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: scalar) else { return false }
        rest.removeFirst()
        return true
    }

    /// Takes the bytes for which `belongs` holds; the answer may be empty.
    mutating func take(while belongs: (UInt8) -> Bool) -> Substring {
        let taken = rest.prefix(while: belongs)
        rest.removeFirst(taken.count)
        return Substring(taken)
    }

    /// Takes a `token` (RFC 9110 §5.6.2), or `nil` where none begins.
    mutating func token() -> Substring? {
        let taken = take(while: HeaderScanner.isTokenByte)
        return taken.isEmpty ? nil : taken
    }

    /// Takes a `quoted-string` (RFC 9110 §5.6.4) and gives what it means, or `nil` where none is.
    mutating func quotedString() -> String? {
        guard take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), HeaderScanner.isTextByte(escaped) else {
                    return nil
                }
                bytes.append(escaped)
            default:
                guard HeaderScanner.isTextByte(byte) else { return nil }
                bytes.append(byte)
            }
        }
        return nil
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isTextByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }
}
