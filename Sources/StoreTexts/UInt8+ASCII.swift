// The classes of ASCII characters that the grammars of RFCs name.

extension UInt8 {
    @inlinable package var isDigit: Bool { 0x30...0x39 ~= self }
    @inlinable package var isUppercase: Bool { 0x41...0x5A ~= self }
    @inlinable package var isLowercase: Bool { 0x61...0x7A ~= self }
    @inlinable package var isLetter: Bool { isUppercase || isLowercase }

    /// The value of a hexadecimal digit in upper or lower case; `nil` for any other byte.
    @inlinable package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
