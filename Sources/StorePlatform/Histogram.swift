public import Synchronization

/// The number of values in each bucket, and the sum of the values. Only the owner (see
/// ``CounterArray``) adds values. Any thread may read them.
///
/// Adding a value takes a few instructions, because the value's bit width leads to its bucket.
package final class Histogram: Sendable {
    private let buckets: Buckets
    private let cells: CounterArray

    package init(_ buckets: Buckets = .forDurations) {
        self.buckets = buckets
        cells = CounterArray(count: buckets.cellCount)
    }

    /// Adds a value, in nanoseconds for a duration. Only the owner may call this function.
    package func observe(_ value: UInt64) { buckets.add(value, at: cells.counters) }

    /// The values observed so far. Any thread may read this property.
    package var distribution: Distribution { buckets.distribution(at: cells.counters) }
}

/// The buckets of a histogram: their upper bounds, and the mapping from a value to its bucket.
package final class Buckets: Sendable {
    /// Bounds for durations in nanoseconds: 1, 2.5 and 5 of each decade from 1 µs to 10 s.
    package static let forDurations = Buckets(
        [1_000, 2_500, 5_000].flatMap { first in
            (0..<7).map { decade in (0..<decade).reduce(first) { bound, _ in bound * 10 } }
        }.sorted() + [10_000_000_000]
    )
    /// Bounds for numbers of things: 1, 2 and 5 of each decade from 1 to 5,000.
    package static let forCounts = Buckets([
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000,
    ])

    /// The upper bounds; each bound is at least twice the bound before it. A value that equals a
    /// bound is in that bound's bucket. A last bucket has the values above all bounds.
    package let bounds: [UInt64]
    /// The number of cells of a histogram: one for each bucket, and one for the sum of the values.
    package let cellCount: Int

    // Safety: written once, by the initializer.
    /// The bounds, and after them `UInt64.max`, which no value exceeds.
    private nonisolated(unsafe) let boundsWithMax: UnsafeMutablePointer<UInt64>
    /// The first possible bucket for each bit width of a value. Each bound is at least twice the
    /// bound before it, so the value is in that bucket or in the next.
    private nonisolated(unsafe) let firstBucketByWidth: UnsafeMutablePointer<Int>

    init(_ bounds: [UInt64]) {
        precondition(
            zip(bounds, bounds.dropFirst()).allSatisfy { $0 <= $1 / 2 } && bounds.first ?? 0 > 0,
            "the bounds of buckets are above zero, and each is at least twice the one before it"
        )
        self.bounds = bounds
        cellCount = bounds.count + 2
        boundsWithMax = .allocate(capacity: bounds.count + 1)
        boundsWithMax.initialize(from: bounds + [.max], count: bounds.count + 1)
        firstBucketByWidth = .allocate(capacity: UInt64.bitWidth + 1)
        for bits in 0...UInt64.bitWidth {
            let least: UInt64 = bits == 0 ? 0 : 1 << (bits - 1)
            (firstBucketByWidth + bits).initialize(
                to: bounds.firstIndex { least <= $0 } ?? bounds.count
            )
        }
    }

    deinit {
        boundsWithMax.deallocate()
        firstBucketByWidth.deallocate()
    }

    package func index(of value: UInt64) -> Int {
        let first = firstBucketByWidth[UInt64.bitWidth - value.leadingZeroBitCount]
        return first + (value > boundsWithMax[first] ? 1 : 0)
    }

    /// Adds a value to the histogram whose cells begin at `cells`. Only the owner of the cells may
    /// call this function.
    package func add(_ value: UInt64, at cells: UnsafeMutablePointer<Atomic<UInt64>>) {
        cells[index(of: value)].increment()
        cells[cellCount - 1].increment(by: value)
    }

    /// Returns the values added so far. Any thread may call this function. If a value is added at
    /// the same time, the result may have the value only in the sum, or only in a bucket.
    package func distribution(at cells: UnsafeMutablePointer<Atomic<UInt64>>) -> Distribution {
        Distribution(
            buckets: self,
            countsByBucket: (0...bounds.count).map { cells[$0].load(ordering: .relaxed) },
            sum: cells[cellCount - 1].load(ordering: .relaxed)
        )
    }
}

package struct Distribution: Sendable {
    package let buckets: Buckets
    /// The number of values in each bucket. The last number is for the values above the last bound.
    package private(set) var countsByBucket: [UInt64]
    package private(set) var sum: UInt64
}

extension Distribution {
    /// Makes a distribution without values.
    package init(_ buckets: Buckets) {
        let counts = [UInt64](repeating: 0, count: buckets.bounds.count + 1)
        self.init(buckets: buckets, countsByBucket: counts, sum: 0)
    }

    package mutating func add(_ value: UInt64) {
        countsByBucket[buckets.index(of: value)] += 1
        sum &+= value
    }

    package var count: UInt64 { countsByBucket.reduce(0, +) }
}

/// Counters in one block of memory. Only the owner changes the counters, and any thread may read
/// them.
///
/// The owner adds to a counter by a plain load and a plain store, without an atomic addition. The
/// owner is one thread, or several threads that take turns under one lock.
package final class CounterArray: Sendable {
    // Safety: the memory is allocated once, and freed when nothing refers to the object any more.
    /// The address of the first counter. All counters begin at zero.
    package nonisolated(unsafe) let counters: UnsafeMutablePointer<Atomic<UInt64>>
    package let count: Int

    package init(count: Int) {
        self.count = count
        counters = .allocate(capacity: count)
        for index in 0..<count { (counters + index).initialize(to: Atomic(0)) }
    }

    deinit {
        counters.deinitialize(count: count)
        counters.deallocate()
    }

    /// The counter at an index below ``count``. Any thread may read the counter.
    package subscript(place: Int) -> UInt64 { counters[place].load(ordering: .relaxed) }
}

extension Atomic where Value == UInt64 {
    /// Adds `amount` to a counter. Only the owner (see ``CounterArray``) may call this function.
    @inlinable
    package func increment(by amount: UInt64 = 1) {
        store(load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}
