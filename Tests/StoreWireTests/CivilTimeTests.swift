import Foundation
import Testing

@testable import StoreWire

@Suite struct CivilTimeTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "1994-11-06T08:49:37.000Z", "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "2000-02-29T00:00:00.000Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_399, "2100-02-28T23:59:59.000Z", "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "2100-03-01T00:00:00.000Z", "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "9999-12-31T23:59:59.000Z", "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func `known moments are written`(seconds: Int64, rfc3339: String, httpDate: String) {
        let time = CivilTime(secondsSince1970: seconds)

        #expect(time.rfc3339() == rfc3339)
        #expect(time.httpDate == httpDate)
    }

    @Test func `dates agree with Foundation on a day of every month until 9999`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
        var seconds: Int64 = 0
        var checked = 0
        while seconds < CivilTime.secondsMax {
            let time = CivilTime(secondsSince1970: seconds)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday],
                from: Date(timeIntervalSince1970: Double(seconds))
            )
            let same =
                time.year == parts.year && time.month == parts.month && time.day == parts.day
                && time.hour == parts.hour && time.minute == parts.minute
                && time.second == parts.second && time.weekday + 1 == parts.weekday
            #expect(same, "at second \(seconds)")
            seconds += 2_629_743 + 7_919
            checked += 1
        }

        #expect(checked > 90_000)
    }

    @Test func `every day from 1970 to 9999 is counted once`() {
        var expected = (year: 1970, month: 1, day: 1)
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for day in 0..<Int64(2_932_897) {
            let time = CivilTime(secondsSince1970: day * 86_400 + 86_399)
            guard (time.year, time.month, time.day) == expected else {
                Issue.record("day \(day) is \(time), not \(expected)")
                return
            }
            let isLeap =
                expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0)
            let length = lengths[expected.month - 1] + (isLeap && expected.month == 2 ? 1 : 0)
            expected.day += 1
            if expected.day > length { expected = (expected.year, expected.month + 1, 1) }
            if expected.month > 12 { expected = (expected.year + 1, 1, 1) }
        }

        #expect(expected == (10_000, 1, 1))
    }

    @Test func `fractions are cut and never round up into the next second`() {
        let time = CivilTime(nanosecondsSince1970: 1_999_999_999)

        #expect(time.rfc3339(.seconds) == "1970-01-01T00:00:01Z")
        #expect(time.rfc3339(.milliseconds) == "1970-01-01T00:00:01.999Z")
        #expect(time.rfc3339(.microseconds) == "1970-01-01T00:00:01.999999Z")
        #expect(time.rfc3339(.nanoseconds) == "1970-01-01T00:00:01.999999999Z")
    }

    @Test func `moments outside the bounds of text are moved to the nearest inside`() {
        #expect(CivilTime(secondsSince1970: .max).rfc3339(.seconds) == "9999-12-31T23:59:59Z")
        #expect(CivilTime(secondsSince1970: .min).rfc3339(.seconds) == "0000-01-01T00:00:00Z")
        #expect(
            CivilTime(nanosecondsSince1970: -1).rfc3339(.nanoseconds)
                == "1969-12-31T23:59:59.999999999Z"
        )
        #expect(CivilTime(nanosecondsSince1970: .max).year == 2262)
        #expect(CivilTime(nanosecondsSince1970: .min).year == 1677)
    }

    @Test(arguments: [0, 1, -1, 999_999_999, 951_782_400_000_000_001, .max, -62_135_596_800])
    func `a written moment is read back`(nanoseconds: Int64) {
        let text = CivilTime(nanosecondsSince1970: nanoseconds).rfc3339(.nanoseconds)
        #expect(CivilTime.nanoseconds(rfc3339: text) == nanoseconds)
    }

    @Test func `fractions of any length are read up to nanoseconds`() {
        #expect(CivilTime.nanoseconds(rfc3339: "1970-01-01T00:00:01Z") == 1_000_000_000)
        #expect(CivilTime.nanoseconds(rfc3339: "1970-01-01T00:00:01.5Z") == 1_500_000_000)
    }

    @Test(arguments: [
        "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00+01:00",
        "1970-13-01T00:00:00Z", "1970-02-30T00:00:00Z", "1970-01-01T24:00:00Z",
        "1970-01-01T00:60:00Z", "1970-01-01 00:00:00Z", "197x-01-01T00:00:00Z",
        "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.1234567890Z", "9999-01-01T00:00:00Z",
    ])
    func `a text that is no moment is refused`(text: String) {
        #expect(CivilTime.nanoseconds(rfc3339: text) == nil)
    }
}
