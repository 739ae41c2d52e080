/// Percent-encoding by RFC 3986 §2.1, strictly and in UTF-8.
package enum PercentEncoding {
    /// Decodes a path segment or a query value. With `plusIsSpace`, `+` stands for a space, as in
    /// the queries of HTML forms.
    ///
    /// - Returns: the decoded text; `nil` if a `%` is not followed by two hexadecimal digits. Also
    ///   `nil` if the result is not valid UTF-8 (overlong forms and surrogates included).
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue
                else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Encodes all bytes as `%XX`, except the unreserved characters of RFC 3986.
    package static func encode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the same text in normal form (RFC 3986 §6.2.2): decodes each escaped unreserved
    /// character, and writes every other `%XX` in capitals. A text with an invalid escape stays
    /// unchanged. If its valid escapes were decoded, `%4%31` would become `%41`, which the client
    /// did not send.
    package static func normalized(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == UInt8(ascii: "%") else {
                bytes.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.endIndex, let high = text[index + 1].hexDigitValue,
                let low = text[index + 2].hexDigitValue
            else { return Array(text) }
            let byte = high << 4 | low
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexDigits[Int(high)], hexDigits[Int(low)]]
            }
            index += 3
        }
        return bytes
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isDigit || byte.isLetter || "-._~".utf8.contains(byte)
    }
}
