import Testing

@testable import StoreCore

@Suite struct TimerRuleTests {
    private let second: Int64 = 1_000_000_000
    private let day: Int64 = 86_400_000_000_000

    @Test func `the first time of a timer follows from the time of its action`() {
        #expect(TimerRule.after(.seconds(2)).firstDue(after: 5) == 2 * second + 5)
        #expect(TimerRule.after(.seconds(-2)).firstDue(after: 5) == 5)
        #expect(TimerRule.after(.seconds(Int64.max)).firstDue(after: 5) == .max)
        #expect(TimerRule.at(-7).firstDue(after: 5) == -7)
        #expect(TimerRule.every(.seconds(3)).firstDue(after: 5) == 3 * second + 5)
    }

    @Test(arguments: [
        (-86_401, -1), (-86_400, 0), (-1, 0), (0, 1), (1, 1), (86_399, 1), (86_400, 2),
    ])
    func `a daily timer is due at the next midnight`(seconds: Int64, days: Int64) {
        let rule = TimerRule.daily(TimeOfDay(hour: 0))
        #expect(rule.firstDue(after: seconds * second) == days * day)
    }

    @Test func `a daily timer is due at its time of the day`() {
        let rule = TimerRule.daily(TimeOfDay(hour: 7, minute: 30))
        #expect(rule.firstDue(after: 0) == 27_000 * second)
        #expect(rule.firstDue(after: 27_000 * second - 1) == 27_000 * second)
        #expect(rule.firstDue(after: 27_000 * second) == day + 27_000 * second)
        #expect(rule.firstDue(after: -1) == 27_000 * second)
        #expect(rule.intervalNanoseconds == day)
    }

    @Test func `missed times are skipped by whole intervals`() {
        #expect(TimerRule.nextDueTime(from: 10, every: 5, after: 10) == 15)
        #expect(TimerRule.nextDueTime(from: 10, every: 5, after: 24) == 25)
        #expect(TimerRule.nextDueTime(from: 10, every: 5, after: 25) == 30)
        #expect(TimerRule.nextDueTime(from: 10, every: 5, after: -3) == 0)
        #expect(TimerRule.nextDueTime(from: .max - 1, every: 5, after: .max - 1) == .max)
    }

    @Test func `an interval of less than a second is a fault`() {
        #expect(TimerRule.every(.milliseconds(999)).fault != nil)
        #expect(TimerRule.every(.seconds(1)).fault == nil)
    }

    @Test(arguments: ["7:30", "24:00", "07:60", "07:3a", "0730", "", "07:30:00", "-7:30", "é7:30"])
    func `a text of another form is no time of the day`(text: String) {
        #expect(TimeOfDay(text) == nil)
    }

    @Test func `a time of the day is two digits, a colon and two digits`() {
        #expect(TimeOfDay("07:05") == TimeOfDay(hour: 7, minute: 5))
        #expect(TimeOfDay(hour: 7, minute: 5).description == "07:05")
        #expect(TimeOfDay(hour: 25, minute: -1) == TimeOfDay(hour: 23, minute: 0))
    }

    @Test func `the names with a prefix are found without a search through all names`() {
        var table = ValueTable<Int>()
        let names = ["a", "a/1", "a/10", "a/2", "ab", "a0", "b/1", "é/1", "e\u{301}/1"]
        for (number, name) in names.enumerated() { table[name] = number }
        #expect(table.names(withPrefix: "a/") == ["a/1", "a/10", "a/2"])
        #expect(table.names(withPrefix: "é/") == ["é/1"])
        #expect(table.names(withPrefix: "c").isEmpty)
        #expect(table.names(withPrefix: "").count == names.count)
    }
}
