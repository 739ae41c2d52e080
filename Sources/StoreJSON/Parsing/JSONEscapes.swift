import StoreTexts

/// Functions that decode the escapes of a JSON string.
///
/// The parser has validated the escapes. If an escape is invalid nevertheless, the functions write
/// U+FFFD and do not trap.
enum JSONEscapes {
    /// Writes the unescaped UTF-8 of `raw` into `output`, and returns the number of written bytes.
    /// This number is never greater than the number of bytes of `raw`.
    static func unescape(
        _ raw: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var written = 0
        var index = 0
        func put(_ byte: UInt8) {
            output[written] = byte
            written += 1
        }
        while index < raw.count {
            let byte = raw[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < raw.count else {
                put(byte)
                continue
            }
            let escape = raw[index]
            index += 1
            switch escape {
            case UInt8(ascii: "n"): put(0x0A)
            case UInt8(ascii: "t"): put(0x09)
            case UInt8(ascii: "r"): put(0x0D)
            case UInt8(ascii: "b"): put(0x08)
            case UInt8(ascii: "f"): put(0x0C)
            case UInt8(ascii: "u"):
                let scalar = readScalar(in: raw, at: &index)
                UTF8.encode(scalar)?.forEach(put)
            default: put(escape)
            }
        }
        return written
    }

    /// Reads the digits after `\u`. If the digits are a leading surrogate, also reads the `\u`
    /// escape with the trailing surrogate.
    private static func readScalar(
        in raw: UnsafeBufferPointer<UInt8>,
        at index: inout Int
    ) -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard let first = hexCodeUnit(in: raw, at: index) else { return replacement }
        index += 4
        guard 0xD800...0xDBFF ~= first else { return Unicode.Scalar(first) ?? replacement }
        guard index + 6 <= raw.count, let second = hexCodeUnit(in: raw, at: index + 2) else {
            return replacement
        }
        index += 6
        let value = 0x10000 + (first - 0xD800) << 10 + (second &- 0xDC00)
        return Unicode.Scalar(value) ?? replacement
    }

    /// Returns the value of four hexadecimal digits, or `nil` if one of the four bytes is no
    /// hexadecimal digit.
    static func hexCodeUnit(in raw: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
        guard index + 4 <= raw.count else { return nil }
        var value: UInt32 = 0
        for offset in index..<index + 4 {
            guard let digit = raw[offset].hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
