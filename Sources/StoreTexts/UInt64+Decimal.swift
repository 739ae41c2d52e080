extension UInt64 {
    /// Reads plain decimal digits in their only spelling: no sign, no leading zero, no overflow.
    package init?(decimal text: some StringProtocol) {
        var value: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            guard count == 0 || value > 0 else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !tooLarge, !overflow else { return nil }
            value = sum
            count += 1
        }
        guard count > 0 else { return nil }
        self = value
    }
}
