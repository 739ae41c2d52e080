import StoreTexts

/// The exact value of a JSON number: an integer times a power of ten.
///
/// A `Double` cannot distinguish 2^53 from 2^53 + 1, and cannot represent 0.1 exactly.
struct DecimalNumber: Equatable {
    /// The maximum number of zeros that ``integerText`` appends. No integer type has that many
    /// digits.
    private static let zerosMax = 40

    private let isNegative: Bool
    /// The digits of the integer, as ASCII, without zeros at the beginning and at the end; empty
    /// for 0.
    private let digits: [UInt8]
    /// The exponent of the power of ten.
    private let exponent: Int

    /// Reads the text of a JSON number (RFC 8259 §6). Returns `nil` if the text is not a number, or
    /// if the exponent does not fit into 64 bits. The exponent of 0 is ignored.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let parts = mantissa.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) })
        else { return nil }
        let all = Array(parts.joined())
        guard let last = all.lastIndex(where: { $0 != UInt8(ascii: "0") }) else {
            (self.isNegative, digits, exponent) = (false, [], 0)
            return
        }
        let power = String(decoding: rest.dropFirst(mantissa.count + 1), as: UTF8.self)
        guard let power = mantissa.count == rest.count ? 0 : Int(power) else { return nil }
        let fraction = parts.count == 2 ? parts[1].count : 0
        let (exponent, isOver) = power.addingReportingOverflow(all.count - 1 - last - fraction)
        guard !isOver else { return nil }
        self.isNegative = isNegative
        digits = Array(all[...last].drop { $0 == UInt8(ascii: "0") })
        self.exponent = exponent
    }

    /// The text of a whole number without a fraction and an exponent: `100` for `1e2`. `nil` if the
    /// number is not whole, or is too great for every integer type.
    var integerText: String? {
        if digits.isEmpty { return "0" }
        guard 0...Self.zerosMax ~= exponent else { return nil }
        let zeros = String(repeating: "0", count: exponent)
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + zeros
    }
}
