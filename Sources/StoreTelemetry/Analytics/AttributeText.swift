/// Texts as attributes of CloudEvents may have them (CloudEvents 1.0.2, "Type System").
enum AttributeText {
    /// The text with `%` and the UTF-8 bytes of characters that an attribute may not have as `%0A`:
    /// control characters and code points that are no characters. A text without any stays as it
    /// is, but for `%`.
    static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(Character(scalar)).utf8 {
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return escaped
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x25, 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: true
        case let value: value & 0xFFFE == 0xFFFE
        }
    }
}
