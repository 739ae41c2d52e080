// These functions are not generic: another module cannot specialise a generic function, and would
// look up its type at run time.

extension JSONOutput {
    /// Writes a text without escapes or quotes.
    package mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { raw($0) }
    }

    /// Writes a number in decimal digits.
    package mutating func decimal(_ number: UInt64) {
        var length = 1
        var rest = number
        while rest >= 10 {
            rest /= 10
            length &+= 1
        }
        reserve(length)
        rest = number
        for place in stride(from: count &+ length &- 1, through: count, by: -1) {
            base[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= length
    }
}
