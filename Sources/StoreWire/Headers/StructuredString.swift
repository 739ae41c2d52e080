import StoreTexts

/// The syntax of a structured field whose value is a string, such as `Idempotency-Key: "8e03978e"`.
///
/// A string is printable ASCII in double quotes, with the escapes `\"` and `\\` only (RFC 9651
/// §4.2.5, and RFC 8941 before it). Parameters after the string have to be valid, but have no
/// effect.
package enum StructuredString {
    /// Returns the string in the value of a field. Returns `nil` if the value is not a string, or
    /// if anything other than parameters follows the string.
    package static func parse(_ text: String) -> String? {
        var text = text
        return text.withUTF8 { parsePlain($0) } ?? parseAny(text)
    }

    /// Returns the string if the value has no escapes, no parameters and no spaces around the
    /// quotes. This fast path is sufficient for almost all values.
    private static func parsePlain(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text[0] == quote, text[text.count - 1] == quote else { return nil }
        let inner = UnsafeBufferPointer(rebasing: text[1..<(text.count - 1)])
        for byte in inner {
            guard 0x20...0x7E ~= byte, byte != quote, byte != UInt8(ascii: "\\") else { return nil }
        }
        return String(decoding: inner, as: UTF8.self)
    }

    private static func parseAny(_ text: String) -> String? {
        var scanner = HeaderScanner(text)
        scanner.skipSpaces()
        guard let value = takeString(&scanner), skipParameters(&scanner) else { return nil }
        scanner.skipSpaces()
        return scanner.isAtEnd ? value : nil
    }

    private static func takeString(_ scanner: inout HeaderScanner) -> String? {
        guard scanner.take("\"") else { return nil }
        var value = ""
        while true {
            value += scanner.take { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
            if scanner.take("\"") { return value }
            guard scanner.take("\\") else { return nil }
            if scanner.take("\"") {
                value += "\""
            } else if scanner.take("\\") {
                value += "\\"
            } else {
                return nil
            }
        }
    }

    private static func skipParameters(_ scanner: inout HeaderScanner) -> Bool {
        while scanner.take(";") {
            scanner.skipSpaces()
            guard let first = scanner.nextByte, first.isLowercase || first == UInt8(ascii: "*")
            else {
                return false
            }
            _ = scanner.take { $0.isLowercase || $0.isDigit || "_-.*".utf8.contains($0) }
            if scanner.take("="), !skipBareItem(&scanner) { return false }
        }
        return true
    }

    private static func skipBareItem(_ scanner: inout HeaderScanner) -> Bool {
        switch scanner.nextByte {
        case UInt8(ascii: "\""): return takeString(&scanner) != nil
        case UInt8(ascii: "?"):
            _ = scanner.take("?")
            return scanner.take("0") || scanner.take("1")
        case UInt8(ascii: ":"):
            _ = scanner.take(":")
            _ = scanner.take { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
            return scanner.take(":")
        case .some(let byte) where byte == UInt8(ascii: "-") || byte.isDigit:
            return skipNumber(&scanner)
        case .some(let byte) where byte.isLetter || byte == UInt8(ascii: "*"):
            _ = scanner.take { HeaderScanner.isTokenByte($0) || ":/".utf8.contains($0) }
            return true
        default: return false
        }
    }

    /// Skips an integer of at most 15 digits, or a decimal. A decimal has at most 12 digits before
    /// the point and 1 to 3 digits after the point. Returns false if no such number comes next.
    private static func skipNumber(_ scanner: inout HeaderScanner) -> Bool {
        _ = scanner.take("-")
        let whole = scanner.take(while: \.isDigit).utf8.count
        guard scanner.take(".") else { return (1...15).contains(whole) }
        let fraction = scanner.take(while: \.isDigit).utf8.count
        return (1...12).contains(whole) && (1...3).contains(fraction)
    }
}
