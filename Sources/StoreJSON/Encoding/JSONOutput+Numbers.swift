/// The constraint of functions for `Double` and `Float`.
package typealias FloatingNumber = BinaryFloatingPoint & LosslessStringConvertible

extension JSONOutput {
    @inline(__always)
    package mutating func integer<I: FixedWidthInteger>(_ value: I) {
        if I.bitWidth > 64 {
            var text = String(value)
            text.withUTF8 { raw($0) }
            return
        }
        if value < 0 { byte(UInt8(ascii: "-")) }
        decimal(UInt64(truncatingIfNeeded: value.magnitude))
    }

    /// Writes a number in decimal digits. The function is not generic, because another module
    /// cannot specialise a generic function.
    @inline(__always)
    package mutating func decimal(_ value: UInt64) {
        reserve(20)
        if value < 10 {
            base[count] = UInt8(truncatingIfNeeded: value) &+ UInt8(ascii: "0")
            count &+= 1
            return
        }
        // Count the digits by multiplications, because divisions are slower. If the bound
        // overflows, the length is 20, and the loop ends.
        var length = 1
        var bound: UInt64 = 10
        while value >= bound, length < 20 {
            length &+= 1
            bound &*= 10
        }
        var rest = value
        var at = count &+ length
        while at > count {
            at &-= 1
            let quotient = rest / 10
            base[at] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- quotient &* 10)
            rest = quotient
        }
        count &+= length
    }

    /// Writes a finite number as the shortest text that a parser turns into the same value: `1` for
    /// 1.0.
    ///
    /// Returns false, and writes nothing, if the number is an infinity or NaN.
    @inline(__always)
    package mutating func writeIfFinite<F: FloatingNumber>(_ value: F) -> Bool {
        if F.self == Double.self, writeIfShortDecimal(Double(value)) { return true }
        guard value.isFinite else { return false }
        writeDescription(of: value)
        return true
    }

    @inline(never)
    private mutating func writeDescription(of value: some FloatingNumber) {
        var text = value.description
        text.withUTF8 { digits in
            let isWhole =
                digits.count > 2 && digits[digits.count - 1] == UInt8(ascii: "0")
                && digits[digits.count - 2] == UInt8(ascii: ".")
            raw(isWhole ? UnsafeBufferPointer(rebasing: digits.dropLast(2)) : digits)
        }
    }

    /// Writes a number that has at most 15 digits, with at most four digits after the point.
    /// Returns false, and writes nothing, for any other number. In practice, most numbers are that
    /// short.
    ///
    /// Different decimals of at most 15 digits are different `Double` values. So such a decimal is
    /// the shortest text if a parser turns it into `value`. The division proves that: its operands
    /// are exact, so its result is rounded like a parser's result.
    @inline(__always)
    private mutating func writeIfShortDecimal(_ value: Double) -> Bool {
        let minusZero = (-0.0).bitPattern
        let scaled = (value.magnitude * 1e4).rounded()
        guard scaled < 1e15, scaled / 1e4 == value.magnitude, value.bitPattern != minusZero else {
            return false
        }
        if value < 0 { byte(UInt8(ascii: "-")) }
        let (whole, fraction) = UInt64(scaled).quotientAndRemainder(dividingBy: 10_000)
        decimal(whole)
        guard fraction > 0 else { return true }
        reserve(5)
        base[count] = UInt8(ascii: ".")
        var rest = fraction
        for place in 0..<4 {
            base[count &+ 4 &- place] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
            rest /= 10
        }
        count &+= 5
        while lastByte == UInt8(ascii: "0") { count &-= 1 }
        return true
    }
}
