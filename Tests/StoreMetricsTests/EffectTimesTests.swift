import StorePlatform
import StoreTexts
import Testing

@testable import StoreMetrics

@Suite struct EffectTimesTests {
    @Test func `each kind has its own times, and the most that ran at the same time`() {
        let times = EffectTimes()
        for _ in 0..<3 { times.noteBeginning("home/opened", of: "home") }
        times.noteBeginning("home/closed", of: "home")
        times.noteEnding("home/opened", of: "home", after: 50_000_000)
        times.noteBeginning("home/opened", of: "home")
        let all = times.allSeries.map { ($0.kind.action.text, $0.series) }
        #expect(all.map(\.0) == ["home/closed", "home/opened"])
        #expect(all.map(\.1.runningCount) == [1, 3])
        #expect(all.map(\.1.runningMax) == [1, 3])
        #expect(all.map(\.1.durations.count) == [0, 1])
        #expect(times.runningMax == 4)
    }

    @Test func `the kinds are bounded, and effects beyond the bound count as others`() {
        let times = EffectTimes()
        let count = EffectTimes.kindsMax + 5
        for number in 0..<count { times.noteBeginning("a\(number)", of: "m") }
        for number in 0..<count { times.noteEnding("a\(number)", of: "m", after: 1) }
        let all = times.allSeries
        #expect(all.count == EffectTimes.kindsMax + 1)
        #expect(all.allSatisfy { $0.series.runningCount == 0 })
        let other = all.first { $0.kind == .other }?.series
        #expect(other?.runningMax == 5)
        #expect(other?.durations.count == 5)
    }
}
