import CStoreHTTPD

/// The framing of a request, checked more strictly than by libmicrohttpd. Framing that two parsers
/// could read in two ways is refused, because attackers can use it to smuggle requests (RFC 9112
/// §11.2). Invalid names and values of fields are refused, too.
struct RequestFraming {
    /// The number of bytes of body that the request announces; `nil` if the body is chunked.
    private(set) var contentLength: Int? = 0
    /// True if there is a `Content-Length` or a `Transfer-Encoding` field.
    private(set) var hasLengthField = false
    /// The index of the `Host` field.
    private(set) var hostIndex: Int?
    private(set) var fieldsBytes = 0
    /// The bits of all fields' names (``nameBit(first:length:)``). If a name's bit is not set, the
    /// field is absent.
    private(set) var nameBits: UInt64 = 0

    /// Makes the framing of a request that has at most a `Content-Length` field.
    init(contentLength: Int? = 0) {
        self.contentLength = contentLength
    }

    /// Reads the fields of a request.
    ///
    /// - Throws: ``TransportFailure/malformed(_:)`` with the part that is invalid or ambiguous.
    init(
        fields: UnsafeBufferPointer<chttpd_field>,
        isHTTP10: Bool
    ) throws(TransportFailure) {
        var lengthFieldCount = 0
        var codingFieldCount = 0
        var hostFieldCount = 0
        var repeatedNameBits: UInt64 = 0
        for index in 0..<fields.count {
            let field = fields[index]
            fieldsBytes += field.name_length + field.value_length + 4
            guard Self.isToken(field.nameBytes) else {
                throw .malformed("There is a header field whose name is no token.")
            }
            let first = UInt8(bitPattern: field.name[0])
            let bit = Self.nameBit(first: first, length: field.name_length)
            repeatedNameBits |= nameBits & bit
            nameBits |= bit
            guard Self.isFieldValue(field.valueBytes) else {
                throw .malformed("There is a control character in a header field's value.")
            }
            // The names of the fields for framing begin with these letters, even if the library has
            // appended a folded line to the name.
            switch first | 0x20 {
            case UInt8(ascii: "h"), UInt8(ascii: "c"), UInt8(ascii: "t"): break
            default: continue
            }
            switch field.name_length {
            case 4 where field.isNamed("host"):
                hostFieldCount += 1
                hostIndex = index
            case 14 where field.isNamed("content-length"):
                lengthFieldCount += 1
                guard let length = Self.parsedLength(field.valueBytes) else {
                    throw .malformed("Content-Length is no whole number.")
                }
                contentLength = length
            case 17 where field.isNamed("transfer-encoding"):
                codingFieldCount += 1
                guard Self.isChunked(field.valueBytes) else {
                    throw .malformed("The only allowed Transfer-Encoding is chunked.")
                }
            default:
                try Self.refuseFolded(field)
            }
        }
        guard lengthFieldCount <= 1 else {
            throw .malformed("There are several Content-Length fields.")
        }
        guard codingFieldCount <= 1 else {
            throw .malformed("There are several Transfer-Encoding fields.")
        }
        guard lengthFieldCount == 0 || codingFieldCount == 0 else {
            throw .malformed("There are both a Content-Length and a Transfer-Encoding.")
        }
        if codingFieldCount == 1 {
            guard !isHTTP10 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding.") }
            contentLength = nil
        }
        hasLengthField = lengthFieldCount + codingFieldCount > 0
        if repeatedNameBits & Self.singularNameBits != 0 { try Self.checkSingular(fields) }
        guard hostFieldCount <= 1 else { throw .malformed("There are several Host fields.") }
        guard hostFieldCount == 1 || isHTTP10 else {
            throw .malformed("HTTP/1.1 needs a Host field.")
        }
    }

    /// The names of further fields that must not be repeated: a proxy and the server could
    /// otherwise use different values. These fields have the credential, the page's origin and the
    /// type of the body.
    private static var singularNames: [StaticString] {
        ["authorization", "content-type", "origin"]
    }
    /// The bits of the names in ``singularNames``.
    private static let singularNameBits = singularNames.reduce(0 as UInt64) {
        $0 | nameBit(first: $1.utf8Start[0], length: $1.utf8CodeUnitCount)
    }

    private static func checkSingular(
        _ fields: UnsafeBufferPointer<chttpd_field>
    ) throws(TransportFailure) {
        for name in singularNames where fields.count(where: { $0.isNamed(name) }) > 1 {
            throw .malformed("There are several \(name) fields.")
        }
    }

    /// Returns the bit of ``nameBits`` for names of this length that begin with this letter, in
    /// either case. Other names may share the bit, but few requests have fields with both names.
    @inline(__always)
    static func nameBit(first: UInt8, length: Int) -> UInt64 {
        1 &<< (UInt64(truncatingIfNeeded: length) &+ 5 &* UInt64(first | 0x20))
    }

    /// Returns true if the name is a token (RFC 9110 §5.6.2). A space in a name would hide the
    /// field from some parsers.
    static func isToken(_ name: UnsafeRawBufferPointer) -> Bool {
        // Most names have only letters and hyphens.
        if name.count >= 8, allWords(of: name, satisfy: isLettersAndHyphens) { return true }
        for byte in name {
            let set = byte < 64 ? tokenByteBits.low : tokenByteBits.high
            guard byte < 0x80, set & (1 << UInt64(byte & 63)) != 0 else { return false }
        }
        return name.count > 0
    }

    /// Returns true if `isRight` returns true for all bytes, which are passed eight at a time.
    /// There must be at least eight bytes. Some of the last eight bytes may be passed twice.
    @inline(__always)
    private static func allWords(
        of bytes: UnsafeRawBufferPointer,
        satisfy isRight: (UInt64) -> Bool
    ) -> Bool {
        let last = bytes.count - 8
        var offset = 0
        while offset < last {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard isRight(word) else { return false }
            offset += 8
        }
        return isRight(bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self))
    }

    @inline(__always)
    private static func isLettersAndHyphens(_ word: UInt64) -> Bool {
        let tops: UInt64 = 0x8080_8080_8080_8080
        let lower = word | 0x2020_2020_2020_2020
        // In `fromA`, the top bit of each byte is set if the byte is at least `a`. In `beyondZ`,
        // the top bit is set if the byte is beyond `z`.
        let fromA = lower &+ 0x1F1F_1F1F_1F1F_1F1F
        let beyondZ = lower &+ 0x0505_0505_0505_0505
        let hyphen = word ^ 0x2D2D_2D2D_2D2D_2D2D
        let notHyphen = hyphen &+ 0x7F7F_7F7F_7F7F_7F7F
        return word & tops == 0 && (fromA & ~beyondZ | ~notHyphen) & tops == tops
    }

    /// A bit for each byte below 128 that belongs to a token.
    @inline(__always)
    private static var tokenByteBits: (low: UInt64, high: UInt64) {
        (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// Returns true if a value has no control characters except tabs.
    @inline(__always)
    private static func isFieldValue(_ value: UnsafeRawBufferPointer) -> Bool {
        if value.count >= 8, allWords(of: value, satisfy: hasNoControls) { return true }
        return value.allSatisfy(isValueByte)
    }

    /// Returns false if a byte is a control character. A carry can also set the top bit of another
    /// byte, so the result may also be false if there is no control character.
    @inline(__always)
    private static func hasNoControls(_ word: UInt64) -> Bool {
        let isBelowSpace = (word &- 0x2020_2020_2020_2020) & ~word
        let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
        let isDelete = (delete &- 0x0101_0101_0101_0101) & ~delete
        return (isBelowSpace | isDelete) & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    private static func isValueByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == 0x09
    }

    /// Throws an error if the field's name begins with the name of a framing field and is longer.
    /// The library appends a folded line to the field's name, so a folded `Host: a` becomes a field
    /// `Hosta`.
    private static func refuseFolded(_ field: chttpd_field) throws(TransportFailure) {
        let name: StaticString =
            switch UInt8(bitPattern: field.name[0]) | 0x20 {
            case UInt8(ascii: "h"): "host"
            case UInt8(ascii: "c"): "content-length"
            default: "transfer-encoding"
            }
        guard field.name_length > name.utf8CodeUnitCount, field.nameBegins(with: name) else {
            return
        }
        throw .malformed(
            "There is a folded header field, or a field whose name begins with \(name) and is "
                + "longer."
        )
    }

    private static func parsedLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count > 0 else { return nil }
        var length = 0
        for byte in bytes {
            guard 48...57 ~= byte else { return nil }
            // A number of 19 digits or more is over every bound.
            length = length < 100_000_000_000_000_000 ? length * 10 + Int(byte - 48) : .max
        }
        return length
    }

    private static func isChunked(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count == 7 && zip(bytes, "chunked".utf8).allSatisfy { ($0 | 0x20) == $1 }
    }
}
