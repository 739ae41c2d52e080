/// The number of values in each bucket, and the sum of the values. Only the owner, one thread as
/// with ``Cells``, adds values. Any thread may read.
///
/// An observation takes a few instructions: the value's number of bits leads to its bucket.
package final class Histogram: Sendable {
    private let buckets: Buckets
    private let cells: Cells

    package init(_ buckets: Buckets = .durations) {
        self.buckets = buckets
        cells = Cells(count: buckets.cellCount)
    }

    /// Adds a value, in nanoseconds for a duration. Only the owner calls it.
    package func observe(_ value: UInt64) {
        buckets.add(value, at: cells.first)
    }

    /// The values observed so far. Any thread.
    package var distribution: Distribution { buckets.distribution(at: cells.first) }
}
