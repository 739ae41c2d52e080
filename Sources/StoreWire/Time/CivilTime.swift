// Times on the wire are text. The daemon does not link Foundation with its formatters; the calendar
// takes only a few divisions.

/// A moment in UTC, in the parts of calendar and clock.
///
/// Exact for the years 0 to 9999 of the proleptic Gregorian calendar. A moment outside is moved to
/// the nearest moment inside, since neither RFC 3339 nor RFC 9110 can write it. Time that is
/// counted from 1970 has no leap seconds, so `second` is never 60.
package struct CivilTime: Sendable, Equatable {
    /// 0000-01-01T00:00:00Z.
    package static let secondsMin: Int64 = -62_167_219_200
    /// 9999-12-31T23:59:59Z.
    package static let secondsMax: Int64 = 253_402_300_799

    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let nanosecond: Int
    /// The number of days since Sunday, 0 to 6.
    package let weekday: Int

    /// - Parameters:
    ///   - seconds: whole seconds since 1970-01-01T00:00:00Z.
    ///   - nanosecond: the part of a second beyond `seconds`, 0 to 999,999,999.
    package init(secondsSince1970 seconds: Int64, nanosecond: Int = 0) {
        let moment = min(max(seconds, CivilTime.secondsMin), CivilTime.secondsMax)
        let (days, secondOfDay) = Int(moment).flooredQuotientAndRemainder(by: 86_400)

        // Years begin in March here, so that the leap day is the last of its year. Eras of 400
        // years repeat exactly. The method is Howard Hinnant's `civil_from_days`.
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
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

    /// Converts the nanoseconds since 1970 of a clock, which ends in the year 2262.
    package init(nanosecondsSince1970 nanoseconds: Int64) {
        let (seconds, rest) = Int(nanoseconds).flooredQuotientAndRemainder(by: 1_000_000_000)
        self.init(secondsSince1970: Int64(seconds), nanosecond: rest)
    }
}

extension Int {
    /// Divides and rounds down, so that the remainder is never negative.
    func flooredQuotientAndRemainder(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
