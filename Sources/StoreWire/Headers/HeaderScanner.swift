import StoreTexts

/// A scanner of the value of a header, for the common elements of HTTP's grammars.
///
/// The transport limits the value of a header to 16 KiB, so scanning a value takes a bounded time.
struct HeaderScanner {
    private(set) var unreadBytes: Substring.UTF8View

    init(_ text: some StringProtocol) { unreadBytes = Substring(text).utf8 }

    var isAtEnd: Bool { unreadBytes.isEmpty }

    var nextByte: UInt8? { unreadBytes.first }

    /// Skips spaces and tabs (`OWS` and `BWS` of RFC 9110 §5.6.3).
    mutating func skipWhitespace() {
        while let byte = unreadBytes.first, byte == 0x20 || byte == 0x09 {
            unreadBytes.removeFirst()
        }
    }

    /// Skips spaces only, as the grammar of structured fields demands (RFC 9651 §4.2).
    mutating func skipSpaces() {
        while unreadBytes.first == 0x20 { unreadBytes.removeFirst() }
    }

    /// Takes the next byte and returns true if the byte is `scalar`; otherwise returns false.
    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard unreadBytes.first == UInt8(ascii: scalar) else { return false }
        unreadBytes.removeFirst()
        return true
    }

    /// Takes bytes as long as `belongs` returns true for the next byte. The result may be empty.
    mutating func take(while belongs: (UInt8) -> Bool) -> Substring {
        let taken = unreadBytes.prefix(while: belongs)
        unreadBytes.removeFirst(taken.count)
        return Substring(taken)
    }

    /// Takes a `token` (RFC 9110 §5.6.2); returns `nil` if the next byte begins no token.
    mutating func takeToken() -> Substring? {
        let taken = take(while: HeaderScanner.isTokenByte)
        return taken.isEmpty ? nil : taken
    }

    /// Takes a `quoted-string` (RFC 9110 §5.6.4), and returns its text without quotes and escapes.
    /// Returns `nil` if no valid `quoted-string` comes next.
    mutating func takeQuotedString() -> String? {
        guard take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let byte = unreadBytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = unreadBytes.popFirst(), HeaderScanner.isTextByte(escaped) else {
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
        byte.isDigit || byte.isLetter || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isTextByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }
}
