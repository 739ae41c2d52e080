import StorePlatform
import Testing

@Suite struct HistogramTests {
    @Test(arguments: [Buckets.forDurations, Buckets.forCounts])
    func `a value is in the first bucket whose bound it does not exceed`(buckets: Buckets) {
        var values: [UInt64] = [0, 1, .max, .max / 2]
        for bound in buckets.bounds { values += [bound - 1, bound, bound + 1] }
        for bits in 0..<64 { values += [1 << bits, (1 << bits) &- 1, (1 << bits) + 1] }
        for value in values {
            let expected = buckets.bounds.firstIndex { value <= $0 } ?? buckets.bounds.count
            #expect(buckets.index(of: value) == expected, "\(value)")
        }
    }

    @Test func `durations have three buckets a decade, from a microsecond to ten seconds`() {
        let bounds = Buckets.forDurations.bounds
        #expect(bounds.prefix(4) == [1_000, 2_500, 5_000, 10_000])
        #expect(bounds.suffix(3) == [2_500_000_000, 5_000_000_000, 10_000_000_000])
        #expect(bounds.count == 22)
    }

    @Test func `a thread reads the values of another thread`() {
        let histogram = Histogram(.forCounts)
        for value in 1...100 as ClosedRange<UInt64> { histogram.observe(value) }
        let seen = histogram.distribution
        #expect(seen.count == 100)
        #expect(seen.sum == 5_050)
        #expect(seen.countsByBucket == [1, 1, 3, 5, 10, 30, 50, 0, 0, 0, 0, 0, 0])
    }
}
