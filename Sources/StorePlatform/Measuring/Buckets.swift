package import Synchronization

/// The buckets of a histogram: their upper bounds, and the way from a value to its bucket.
package final class Buckets: Sendable {
    /// For durations in nanoseconds: 1, 2.5 and 5 of each decade from 1 µs to 10 s.
    package static let durations = Buckets(
        [1_000, 2_500, 5_000].flatMap { first in
            (0..<7).map { decade in (0..<decade).reduce(first) { bound, _ in bound * 10 } }
        }.sorted() + [10_000_000_000]
    )
    /// For numbers of things: 1, 2 and 5 of each decade from 1 to 5,000.
    package static let counts = Buckets([
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000,
    ])

    /// The upper bounds, each at least twice the one before it. A value that equals a bound is in
    /// that bound's bucket; one beyond the last is in one more.
    package let bounds: [UInt64]
    /// How many cells a histogram takes: one for each bucket, and one for the sum of the values.
    package let cellCount: Int

    // Safety: written once, by the initializer.
    /// The bounds, and behind them one that no value exceeds.
    private nonisolated(unsafe) let ends: UnsafeMutablePointer<UInt64>
    /// The first bucket that a value of so many bits may be in. The bounds at least double, so it
    /// is that one or the next.
    private nonisolated(unsafe) let firsts: UnsafeMutablePointer<Int>

    init(_ bounds: [UInt64]) {
        precondition(
            zip(bounds, bounds.dropFirst()).allSatisfy { $0 <= $1 / 2 } && bounds.first ?? 0 > 0,
            "the bounds of buckets are above zero, and each is at least twice the one before it"
        )
        self.bounds = bounds
        cellCount = bounds.count + 2
        ends = .allocate(capacity: bounds.count + 1)
        ends.initialize(from: bounds + [.max], count: bounds.count + 1)
        firsts = .allocate(capacity: UInt64.bitWidth + 1)
        for bits in 0...UInt64.bitWidth {
            let least: UInt64 = bits == 0 ? 0 : 1 << (bits - 1)
            (firsts + bits).initialize(to: bounds.firstIndex { least <= $0 } ?? bounds.count)
        }
    }

    deinit {
        ends.deallocate()
        firsts.deallocate()
    }

    /// The place of the bucket that a value is in.
    package func place(of value: UInt64) -> Int {
        let first = firsts[UInt64.bitWidth - value.leadingZeroBitCount]
        return first + (value > ends[first] ? 1 : 0)
    }

    /// Adds a value to the histogram whose cells begin there. The owner of the cells calls it.
    package func add(_ value: UInt64, at cells: UnsafeMutablePointer<Atomic<UInt64>>) {
        cells[place(of: value)].count()
        cells[cellCount - 1].count(value)
    }

    /// What has been added to the cells so far. Any thread; a value that is being added may be in
    /// the sum and not in a bucket, or the other way round.
    package func distribution(at cells: UnsafeMutablePointer<Atomic<UInt64>>) -> Distribution {
        Distribution(
            buckets: self,
            counts: (0...bounds.count).map { cells[$0].load(ordering: .relaxed) },
            sum: cells[cellCount - 1].load(ordering: .relaxed)
        )
    }
}

/// How values are spread over buckets.
package struct Distribution: Sendable {
    package let buckets: Buckets
    /// How many values are in each bucket, and beyond the last.
    package private(set) var counts: [UInt64]
    package private(set) var sum: UInt64

    fileprivate init(buckets: Buckets, counts: [UInt64], sum: UInt64) {
        self.buckets = buckets
        self.counts = counts
        self.sum = sum
    }

    /// No values.
    package init(_ buckets: Buckets) {
        self.init(
            buckets: buckets,
            counts: Array(repeating: 0, count: buckets.bounds.count + 1),
            sum: 0
        )
    }

    package mutating func add(_ value: UInt64) {
        counts[buckets.place(of: value)] += 1
        sum &+= value
    }

    /// How many values there are.
    package var count: UInt64 { counts.reduce(0, +) }
}
