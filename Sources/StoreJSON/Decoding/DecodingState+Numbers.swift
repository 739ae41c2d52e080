extension DecodingState {
    /// Reads an integer, which must fit into `I` exactly.
    @inline(__always)
    func integer<I: FixedWidthInteger>(_ index: Int, as type: I.Type) throws -> I {
        let entry = entries[index]
        let length = Int(entry.end &- entry.start)
        var at = source + Int(entry.start)
        // Up to 18 digits cannot overflow 64 bits.
        guard entry.detail == 1, length <= 18, tape.kind(at: index) == .number else {
            return try longInteger(index, as: type)
        }
        let isNegative = at[0] == UInt8(ascii: "-")
        if isNegative { at += 1 }
        var value: Int64 = 0
        for offset in 0..<(isNegative ? length &- 1 : length) {
            value = value &* 10 &+ Int64(at[offset] &- UInt8(ascii: "0"))
        }
        guard let fitting = I(exactly: isNegative ? -value : value) else {
            throw mismatch(index, .integer(bits: I.bitWidth, signed: I.isSigned))
        }
        return fitting
    }

    /// Reads the remaining numbers: long integers, and whole numbers with a fraction or an
    /// exponent.
    @inline(never)
    private func longInteger<I: FixedWidthInteger>(_ index: Int, as type: I.Type) throws -> I {
        guard tape.kind(at: index) == .number else {
            throw mismatch(index, .integer(bits: I.bitWidth, signed: I.isSigned))
        }
        let text = JSONNode(tape: tape, index: index).sourceText
        let whole = entries[index].detail == 1 ? text : Self.wholeDigits(text)
        if let whole, let value = I(whole) { return value }
        throw mismatch(index, .integer(bits: I.bitWidth, signed: I.isSigned))
    }

    /// Returns the digits of a whole number that has a fraction or an exponent: `100` for `1e2`.
    /// Returns `nil` if the number is not whole.
    ///
    /// The digits are computed without a `Double`, which would round a number with many digits.
    private static func wholeDigits(_ text: String) -> String? {
        /// The bound for the zeros that an exponent adds: more digits than the widest integer has.
        let digitsMax = 40
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".")
        var digits = mantissa.joined().drop { $0 == "-" }.drop { $0 == "0" }
        guard !digits.isEmpty else { return "0" }
        guard let exponent = parts.count == 1 ? 0 : Int(parts[1]) else { return nil }
        let fraction = mantissa.count == 1 ? 0 : mantissa[1].utf8.count
        let (scale, overflow) = exponent.subtractingReportingOverflow(fraction)
        guard !overflow else { return nil }
        if scale < 0 {
            let dropped = digits.suffix(scale == .min ? .max : -scale)
            guard dropped.count < digits.count, dropped.allSatisfy({ $0 == "0" }) else {
                return nil
            }
            digits = digits.dropLast(dropped.count)
        } else {
            guard scale <= digitsMax else { return nil }
            digits += String(repeating: "0", count: scale)
        }
        return (text.first == "-" ? "-" : "") + digits
    }

    /// Reads a number and rounds it to the nearest value of `F`.
    @inline(__always)
    func floating<F: BinaryFloatingPoint & LosslessStringConvertible>(
        _ index: Int,
        as type: F.Type
    ) throws -> F {
        guard tape.kind(at: index) == .number else { throw mismatch(index, "a number") }
        if F.self == Double.self, let quick = quickDouble(index) { return F(quick) }
        let text = JSONNode(tape: tape, index: index).sourceText
        guard let value = F(text), value.isFinite else {
            throw mismatch(
                index,
                F.self == Float.self
                    ? "a number that a Float can hold" : "a number that a Double can hold"
            )
        }
        return value
    }

    /// Returns a number whose digits and power of ten are exact in a `Double`; `nil` for any other
    /// number. A single division then rounds once, and correctly (W. D. Clinger, "How to read
    /// floating point numbers accurately").
    @inline(__always)
    private func quickDouble(_ index: Int) -> Double? {
        let entry = entries[index]
        let end = source + Int(entry.end)
        var at = source + Int(entry.start)
        let isNegative = at[0] == UInt8(ascii: "-")
        if isNegative { at += 1 }
        var mantissa: UInt64 = 0
        var digits = 0
        var scale = 0
        var fraction = false
        while at < end {
            let byte = at[0]
            at += 1
            if byte == UInt8(ascii: ".") {
                fraction = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            digits &+= 1
            if fraction { scale &+= 1 }
        }
        guard digits <= 15 else { return nil }
        let value = Double(mantissa) / Self.powersOfTen[scale]
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
