extension DecodingState {
    /// Reads an integer. Throws an error if the number is not whole or does not fit into `I`.
    @inline(__always)
    func integer<I: FixedWidthInteger>(_ index: Int, as type: I.Type) throws -> I {
        let entry = entries[index]
        let length = Int(entry.end &- entry.start)
        var at = source + Int(entry.start)
        // An integer of at most 18 digits cannot overflow 64 bits.
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
            throw mismatchError(index, .integer(bits: I.bitWidth, signed: I.isSigned))
        }
        return fitting
    }

    /// Reads an integer that has more than 18 characters, or that has a fraction or an exponent in
    /// the document.
    @inline(never)
    private func longInteger<I: FixedWidthInteger>(_ index: Int, as type: I.Type) throws -> I {
        if tape.kind(at: index) == .number {
            let text = JSONNode(tape: tape, index: index).sourceText
            let whole = entries[index].detail == 1 ? text : DecimalNumber(text)?.integerText
            if let whole, let value = I(whole) { return value }
        }
        throw mismatchError(index, .integer(bits: I.bitWidth, signed: I.isSigned))
    }

    /// Reads a number and rounds it to the nearest value of `F`.
    @inline(__always)
    func floatingPoint<F: FloatingNumber>(_ index: Int, as type: F.Type) throws -> F {
        guard tape.kind(at: index) == .number else { throw mismatchError(index, "a number") }
        if F.self == Double.self, let quick = quickDouble(index) { return F(quick) }
        let text = JSONNode(tape: tape, index: index).sourceText
        guard let value = F(text), value.isFinite else {
            throw mismatchError(index, "a number that a \(F.self) can hold")
        }
        return value
    }

    /// Returns the value of a number that has at most 15 digits and no exponent; `nil` for any
    /// other number. A `Double` represents the digits and the power of ten exactly, so a single
    /// division rounds correctly (W. D. Clinger, "How to read floating point numbers accurately").
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
        var isInFraction = false
        while at < end {
            let byte = at[0]
            at += 1
            if byte == UInt8(ascii: ".") {
                isInFraction = true
                continue
            }
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            mantissa = mantissa &* 10 &+ UInt64(digit)
            digits &+= 1
            if isInFraction { scale &+= 1 }
        }
        guard digits <= 15 else { return nil }
        let value = Double(mantissa) / Self.powersOfTen[scale]
        return isNegative ? -value : value
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}
