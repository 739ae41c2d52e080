/// Texts as attributes of CloudEvents (CloudEvents 1.0.2, "Type System").
enum AttributeText {
    /// Returns the text with percent-encoded UTF-8 bytes, such as `%0A`, for characters that an
    /// attribute must not have. These are control characters and code points that are no
    /// characters. `%` itself is encoded, too.
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
