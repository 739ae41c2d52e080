extension UInt64 {
    /// Reads plain decimal digits in their only spelling: no sign, no leading zero, no overflow.
    package init?(decimal text: some StringProtocol) {
        let digits = text.utf8
        guard digits.allSatisfy(\.isDigit), digits.first != UInt8(ascii: "0") || digits.count == 1
        else { return nil }
        self.init(text)
    }
}
