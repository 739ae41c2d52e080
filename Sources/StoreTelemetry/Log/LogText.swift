import StoreTexts

/// Writes texts into lines so that no text can end, forge or hide a line.
enum LogText {
    /// Returns true if a text needs no quotation marks in a line.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_./:@+*~{}[]%,;#".utf8.contains(byte)
                }
            }
    }

    /// Returns a message with a question mark for each character that is not printable.
    static func printable(_ text: String) -> String {
        guard !text.unicodeScalars.allSatisfy(\.isPrintable) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.isPrintable ? $0 : "?" })
        )
    }

    /// Returns an escaped text, to be written between quotation marks in a line of
    /// ``LogFormat/text``.
    static func escaped(_ text: String) -> String {
        escaped(text) { "\\u{" + String($0, radix: 16) + "}" }
    }

    /// Returns a JSON string (RFC 8259). The string also escapes characters that JSON does not
    /// require to be escaped.
    static func json(_ text: String) -> String {
        let escaped = escaped(text) { value in
            guard value > 0xFFFF else { return unicodeEscape(value) }
            let rest = value - 0x10000
            return unicodeEscape(0xD800 + rest >> 10) + unicodeEscape(0xDC00 + rest & 0x3FF)
        }
        return "\"\(escaped)\""
    }

    private static func unicodeEscape(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func escaped(_ text: String, _ escape: (UInt32) -> String) -> String {
        let needsNone = text.utf8.allSatisfy {
            0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if needsNone { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            // A character that is not printable may end a line, turn the direction of text, or be
            // invisible.
            guard scalar.isPrintable else {
                escaped += escape(scalar.value)
                continue
            }
            if scalar == "\"" || scalar == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}
