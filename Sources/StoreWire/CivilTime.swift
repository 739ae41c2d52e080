// Times on the wire are text. The conversion takes only a few divisions, so the server does not
// link Foundation's formatters.

/// A moment in UTC, as a date of the calendar and a time of the clock.
///
/// The value is exact for the years 0 to 9999 of the proleptic Gregorian calendar. RFC 3339 and RFC
/// 9110 can write only these years, so a moment outside these years becomes the nearest moment
/// within them. Time that is counted from 1970 has no leap seconds, so `second` is never 60.
package struct CivilTime: Sendable, Equatable {
    /// The seconds from 1970 to 0000-01-01T00:00:00Z.
    package static let secondsMin: Int64 = -62_167_219_200
    /// The seconds from 1970 to 9999-12-31T23:59:59Z.
    package static let secondsMax: Int64 = 253_402_300_799

    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let nanosecond: Int
    /// The day of the week: the number of days since Sunday, 0 to 6.
    package let weekday: Int

    /// - Parameters:
    ///   - seconds: the number of whole seconds since 1970-01-01T00:00:00Z.
    ///   - nanosecond: the part of a second beyond `seconds`, 0 to 999,999,999.
    package init(secondsSince1970 seconds: Int64, nanosecond: Int = 0) {
        let moment = min(max(seconds, CivilTime.secondsMin), CivilTime.secondsMax)
        let (days, secondOfDay) = Int(moment).flooredQuotientAndRemainder(by: 86_400)

        // In this computation, years begin in March, so that the leap day is the last day of a
        // year. The calendar repeats exactly after an era of 400 years. The method is Howard
        // Hinnant's `civil_from_days`.
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153

        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = secondOfDay / 3_600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
        self.nanosecond = min(max(nanosecond, 0), 999_999_999)
        weekday = (days + 4).flooredQuotientAndRemainder(by: 7).remainder
    }

    /// Makes a moment from the number of nanoseconds since 1970-01-01T00:00:00Z. A number of 64
    /// bits can hold moments up to the year 2262.
    package init(nanosecondsSince1970 nanoseconds: Int64) {
        let (seconds, rest) = Int(nanoseconds).flooredQuotientAndRemainder(by: 1_000_000_000)
        self.init(secondsSince1970: Int64(seconds), nanosecond: rest)
    }
}

extension Int {
    /// Divides by a positive divisor and rounds the quotient down, so that the remainder is never
    /// negative.
    func flooredQuotientAndRemainder(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

// Writing

extension CivilTime {
    /// The number of digits of a second's fraction. Further digits are cut off, without rounding.
    package enum Precision: Int, Sendable {
        case seconds = 0
        case milliseconds = 3
        case microseconds = 6
        case nanoseconds = 9
    }

    /// Returns the moment in the form of RFC 3339, in UTC: `2026-11-21T03:07:09.123Z`.
    ///
    /// Texts of the same precision sort in the order of their moments.
    package func rfc3339(_ precision: Precision = .milliseconds) -> String {
        String(unsafeUninitializedCapacity: 30) { buffer in
            var text = DigitWriter(buffer: buffer)
            text.putDecimal(year, digits: 4)
            text.put("-")
            text.putDecimal(month, digits: 2)
            text.put("-")
            text.putDecimal(day, digits: 2)
            text.put("T")
            text.putTimeOfDay(self)
            if precision != .seconds {
                let divisor = (precision.rawValue..<9).reduce(1) { value, _ in value * 10 }
                text.put(".")
                text.putDecimal(nanosecond / divisor, digits: precision.rawValue)
            }
            text.put("Z")
            return text.writtenBytesCount
        }
    }

    /// The moment in the form of HTTP headers, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    package var httpDate: String {
        String(unsafeUninitializedCapacity: 29) { buffer in
            var text = DigitWriter(buffer: buffer)
            text.putName(weekday, of: "SunMonTueWedThuFriSat")
            text.put(",")
            text.put(" ")
            text.putDecimal(day, digits: 2)
            text.put(" ")
            text.putName(month - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec")
            text.put(" ")
            text.putDecimal(year, digits: 4)
            text.put(" ")
            text.putTimeOfDay(self)
            for byte in " GMT".utf8 { text.put(byte) }
            return text.writtenBytesCount
        }
    }
}

/// Writes numbers of a fixed width into the buffer of a new string.
private struct DigitWriter {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var writtenBytesCount = 0

    mutating func put(_ byte: UInt8) {
        buffer[writtenBytesCount] = byte
        writtenBytesCount += 1
    }

    mutating func put(_ scalar: Unicode.Scalar) { put(UInt8(ascii: scalar)) }

    mutating func putDecimal(_ value: Int, digits: Int) {
        var rest = value
        for index in stride(
            from: writtenBytesCount + digits - 1,
            through: writtenBytesCount,
            by: -1
        ) {
            buffer[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        writtenBytesCount += digits
    }

    mutating func putTimeOfDay(_ time: CivilTime) {
        putDecimal(time.hour, digits: 2)
        put(":")
        putDecimal(time.minute, digits: 2)
        put(":")
        putDecimal(time.second, digits: 2)
    }

    /// Writes the three letters of the name at an index. `names` is the text of all names without
    /// separators.
    mutating func putName(_ index: Int, of names: StaticString) {
        for offset in 3 * index..<3 * index + 3 { put(names.utf8Start[offset]) }
    }
}

// Reading

extension CivilTime {
    /// Reads a text in the form of ``rfc3339(_:)``, with up to nine digits of a second's fraction.
    ///
    /// - Returns: the number of nanoseconds since 1970. `nil` for a text in another form, and for a
    ///   date or time that does not exist. Also `nil` before 1677 and after 2262, because the
    ///   number does not fit into 64 bits.
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
        // The date and the time exist if the conversion back gives the same numbers.
        let again = CivilTime(nanosecondsSince1970: total)
        guard !tooFar, again.month == month, again.day == day, again.hour == hour,
            again.minute == minute, again.second == second
        else { return nil }
        return total
    }
}
