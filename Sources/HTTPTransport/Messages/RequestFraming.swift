import CHTTPD

/// Checks what libmicrohttpd lets through: framing that two parsers could read in two ways, which is
/// how requests are smuggled (RFC 9112 §11.2), and names and values that are none.
struct RequestFraming {
    /// How many bytes of body the request announces; `nil` where it is chunked.
    private(set) var contentLength: Int? = 0
    /// Whether the fields say how long the body is, or that it comes in chunks.
    private(set) var saysLength = false
    private(set) var host: String?
    private(set) var fieldsBytes = 0

    /// Reads the fields of one request.
    ///
    /// - Throws: ``TransportFailure/malformed(_:)`` with what is in doubt.
    init(
        fields: UnsafeBufferPointer<chttpd_field>,
        isHTTP10: Bool
    ) throws(TransportFailure) {
        var lengths = 0
        var codings = 0
        var hosts = 0
        for field in fields {
            fieldsBytes += field.name_length + field.value_length + 4
            try Self.checkName(field)
            try Self.checkValue(field)
            switch field.name_length {
            case 4 where field.isNamed("host"):
                hosts += 1
                host = field.text
            case 14 where field.isNamed("content-length"):
                lengths += 1
                guard let length = Self.length(field.valueBytes) else {
                    throw .malformed("Content-Length is no whole number.")
                }
                contentLength = length
            case 17 where field.isNamed("transfer-encoding"):
                codings += 1
                guard Self.isChunked(field.valueBytes) else {
                    throw .malformed("The one Transfer-Encoding allowed is chunked.")
                }
            default:
                try Self.checkGlued(field)
            }
        }
        guard lengths <= 1 else { throw .malformed("There are several Content-Length fields.") }
        guard codings <= 1 else { throw .malformed("There are several Transfer-Encoding fields.") }
        guard lengths == 0 || codings == 0 else {
            throw .malformed("There are both a Content-Length and a Transfer-Encoding.")
        }
        if codings == 1 {
            guard !isHTTP10 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding.") }
            contentLength = nil
        }
        saysLength = lengths + codings > 0
        guard hosts <= 1 else { throw .malformed("There are several Host fields.") }
        guard hosts == 1 || isHTTP10 else { throw .malformed("HTTP/1.1 needs a Host field.") }
    }

    /// A name is a token (RFC 9110 §5.6.2): a space in it hides the field from one parser or other.
    private static func checkName(_ field: chttpd_field) throws(TransportFailure) {
        guard field.name_length > 0, field.nameBytes.allSatisfy(isTokenByte) else {
            throw .malformed("There is a header field whose name is no token.")
        }
    }

    private static func checkValue(_ field: chttpd_field) throws(TransportFailure) {
        for byte in field.valueBytes where byte < 0x20 && byte != 0x09 || byte == 0x7F {
            throw .malformed("There is a control character in a header field's value.")
        }
    }

    /// The library glues a folded line to the field's name, so that `Host: a`, folded, comes as
    /// `Hosta` and would vanish.
    private static func checkGlued(_ field: chttpd_field) throws(TransportFailure) {
        for name in ["host", "content-length", "transfer-encoding"] {
            if field.name_length > name.utf8.count,
                zip(field.nameBytes, name.utf8).allSatisfy({ ($0 | 0x20) == $1 })
            {
                throw .malformed("There is a folded header field, or one named like \(name).")
            }
        }
    }

    private static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 18, bytes.allSatisfy({ 48...57 ~= $0 }) else {
            // 19 digits and more are over every bound; the library has checked that they are digits.
            return bytes.count > 18 && bytes.allSatisfy({ 48...57 ~= $0 }) ? Int.max : nil
        }
        return bytes.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func isChunked(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count == 7 && zip(bytes, "chunked".utf8).allSatisfy { ($0 | 0x20) == $1 }
    }

    @inline(__always)
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
