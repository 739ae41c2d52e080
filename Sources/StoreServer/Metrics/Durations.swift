import Locks
import Synchronization
import Texts

/// How long things of several names took: a histogram for each name (Prometheus).
final class Durations: Sendable {
    /// The upper bounds of the buckets, in nanoseconds: from 10 µs to 10 s.
    static let bounds: [UInt64] = [
        10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    ]
    /// The most names that are told apart; whatever comes beyond counts as `other`.
    static let namesMax = 1_000

    struct Series: Sendable {
        /// How many fell into each bucket, and beyond the last.
        var buckets = [UInt64](repeating: 0, count: Durations.bounds.count + 1)
        var nanoseconds: UInt64 = 0

        var count: UInt64 { buckets.reduce(0, +) }

        mutating func add(_ more: UInt64, to bucket: Int) {
            buckets[bucket] += 1
            nanoseconds &+= more
        }
    }

    private let series = Locked<[ExactText: Series]>([:])

    /// Notes one. Any thread; a short lock.
    func add(_ nanoseconds: UInt64, to name: String) {
        var bucket = 0
        while bucket < Self.bounds.count, nanoseconds > Self.bounds[bucket] { bucket += 1 }
        series.withLock { series in
            let name = ExactText(name)
            if series[name]?.add(nanoseconds, to: bucket) != nil { return }
            let label = series.count < Self.namesMax ? name : "other"
            series[label, default: Series()].add(nanoseconds, to: bucket)
        }
    }

    /// All of them, by name.
    var all: [(name: String, series: Series)] {
        series.withLock { Array($0) }.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }
    }
}
