/// How many values fell into each of some buckets, and their sum. One thread observes, its owner as
/// with ``Cells``; any thread may read.
///
/// An observation takes a few instructions: the bucket is found by the value's number of bits.
package final class Histogram: Sendable {
    private let buckets: Buckets
    private let cells: Cells

    package init(_ buckets: Buckets = .durations) {
        self.buckets = buckets
        cells = Cells(count: buckets.cellCount)
    }

    /// Adds a value: nanoseconds, for durations. The owner alone calls it.
    package func observe(_ value: UInt64) {
        buckets.add(value, at: cells.first)
    }

    /// What was observed so far. Any thread.
    package var distribution: Distribution { buckets.distribution(at: cells.first) }
}
