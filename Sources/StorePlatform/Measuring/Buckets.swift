package import Synchronization

/// The buckets of a histogram: their upper bounds, and the mapping from a value to its bucket.
package final class Buckets: Sendable {
    /// Bounds for durations in nanoseconds: 1, 2.5 and 5 of each decade from 1 µs to 10 s.
    package static let durations = Buckets(
        [1_000, 2_500, 5_000].flatMap { first in
            (0..<7).map { decade in (0..<decade).reduce(first) { bound, _ in bound * 10 } }
        }.sorted() + [10_000_000_000]
    )
    /// Bounds for numbers of things: 1, 2 and 5 of each decade from 1 to 5,000.
    package static let counts = Buckets([
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000,
    ])

    /// The upper bounds, each at least twice the one before it. A value that equals a bound is in
    /// that bound's bucket. A last bucket has the values above all bounds.
    package let bounds: [UInt64]
    /// The number of cells of a histogram: one for each bucket, and one for the sum of the values.
    package let cellCount: Int

    // Safety: written once, by the initializer.
    /// The bounds, and after them `UInt64.max`, which no value exceeds.
    private nonisolated(unsafe) let ends: UnsafeMutablePointer<UInt64>
    /// The first possible bucket for each bit width of a value. The bounds at least double, so the
    /// value is in that bucket or in the next.
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

    /// Returns the index of the bucket for a value.
    package func place(of value: UInt64) -> Int {
        let first = firsts[UInt64.bitWidth - value.leadingZeroBitCount]
        return first + (value > ends[first] ? 1 : 0)
    }

    /// Adds a value to the histogram whose cells begin at `cells`. Only the owner of the cells
    /// calls it.
    package func add(_ value: UInt64, at cells: UnsafeMutablePointer<Atomic<UInt64>>) {
        cells[place(of: value)].count()
        cells[cellCount - 1].count(value)
    }

    /// Returns the values added so far. Any thread may call it. If a value is being added, the sum
    /// may have it and the bucket not, or the other way round.
    package func distribution(at cells: UnsafeMutablePointer<Atomic<UInt64>>) -> Distribution {
        Distribution(
            buckets: self,
            counts: (0...bounds.count).map { cells[$0].load(ordering: .relaxed) },
            sum: cells[cellCount - 1].load(ordering: .relaxed)
        )
    }
}

/// The distribution of values over buckets.
package struct Distribution: Sendable {
    package let buckets: Buckets
    /// The number of values in each bucket, and above the last bound.
    package private(set) var counts: [UInt64]
    package private(set) var sum: UInt64

    fileprivate init(buckets: Buckets, counts: [UInt64], sum: UInt64) {
        self.buckets = buckets
        self.counts = counts
        self.sum = sum
    }

    /// Makes a distribution without values.
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

    /// The number of values.
    package var count: UInt64 { counts.reduce(0, +) }
}
