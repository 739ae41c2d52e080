// What is not generic costs no look-up of a type in other modules, which can't specialise it.

extension JSONOutput {
    /// Writes text as it is.
    package mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { raw($0) }
    }

    /// Writes a number in decimal digits.
    package mutating func decimal(_ number: UInt64) {
        // 20 digits hold any number of 64 bits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            var rest = number
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            raw(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
