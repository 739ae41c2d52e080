extension CivilTime {
    /// Reads a moment in the form of ``rfc3339(_:)``, in UTC, with up to nine digits behind the
    /// second.
    ///
    /// - Returns: nanoseconds since 1970; `nil` for any other text, and for days that do not exist.
    ///   Also `nil` if the nanoseconds do not fit into 64 bits, before 1677 and after 2262.
    package static func nanoseconds(rfc3339 text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
        for (place, mark) in zip([4, 7, 10, 13, 16], "--T::".utf8) where bytes[place] != mark {
            return nil
        }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var nanosecond = 0
        if bytes.count > 20 {
            let digits = 20..<(bytes.count - 1)
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21, let fraction = number(digits)
            else { return nil }
            nanosecond = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
        }
        // Years begin in March, as in `init(secondsSince1970:)`.
        guard 1...12 ~= month else { return nil }
        let shifted = month > 2 ? year : year - 1
        let era = shifted.flooredQuotientAndRemainder(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = era.remainder * 365 + era.remainder / 4 - era.remainder / 100 + dayOfYear
        let days = era.quotient * 146_097 + dayOfEra - 719_468
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
        let (scaled, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return nil }
        let (total, tooFar) = scaled.addingReportingOverflow(Int64(nanosecond))
        // Each part is in its range if the conversion back gives the same parts.
        let again = CivilTime(nanosecondsSince1970: total)
        guard !tooFar, again.month == month, again.day == day, again.hour == hour,
            again.minute == minute, again.second == second
        else { return nil }
        return total
    }
}
