/// The exact value of a JSON number: its digits, times a power of ten.
///
/// A floating-point number cannot distinguish 2^53 from 2^53 + 1, nor 0.1 from its rounded value.
struct DecimalNumber: Equatable {
    private let isNegative: Bool
    /// The digits from the first to the last that is not 0; empty for 0.
    private let digits: [UInt8]
    /// The power of ten of the last digit.
    private let exponent: Int

    /// Reads a number in the form of JSON (RFC 8259 §6). Returns `nil` if the text is not a number,
    /// or if its exponent does not fit into 64 bits.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        let mantissa = rest.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let parts = mantissa.split(
            separator: UInt8(ascii: "."),
            omittingEmptySubsequences: false
        )
        guard 1...2 ~= parts.count, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isDigit) })
        else { return nil }
        var exponent = 0
        if mantissa.count < rest.count {
            let written = String(decoding: rest.dropFirst(mantissa.count + 1), as: UTF8.self)
            guard let number = Int(written) else { return nil }
            exponent = number
        }
        let all = Array(parts.joined())
        let last = all.lastIndex { $0 != UInt8(ascii: "0") }
        guard let last else {
            (self.isNegative, digits, self.exponent) = (false, [], 0)
            return
        }
        let fraction = parts.count == 2 ? parts[1].count : 0
        let (power, isOver) = exponent.addingReportingOverflow(all.count - 1 - last - fraction)
        guard !isOver else { return nil }
        self.isNegative = isNegative
        digits = Array(all[...last].drop { $0 == UInt8(ascii: "0") })
        self.exponent = power
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }
}
