import Platform
import Synchronization
import Texts

/// How long things of several names took: a histogram for each name (Prometheus).
package final class Durations: Sendable {
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

    private struct Table: Sendable {
        var places: [ExactText: Int] = [:]
        var series: [Series] = []
        /// The name that was noted last, and its place: the next one is often the same.
        var last = ""
        var lastPlace: Int?

        mutating func place(of name: String) -> Int {
            if let lastPlace, last.isSame(as: name) { return lastPlace }
            var text = ExactText(name)
            if places[text] == nil {
                if series.count >= Durations.namesMax { text = "other" }
                if places[text] == nil {
                    places[text] = series.count
                    series.append(Series())
                }
            }
            let place = places[text] ?? 0
            (last, lastPlace) = (name, place)
            return place
        }
    }

    private let table = Locked(Table())

    package init() {}

    /// Notes one. Any thread; a short lock.
    package func add(_ nanoseconds: UInt64, to name: String) {
        let bucket = Self.bucket(of: nanoseconds)
        table.withLock { table in
            let place = table.place(of: name)
            table.series[place].add(nanoseconds, to: bucket)
        }
    }

    /// The place of the bucket that a duration falls into.
    static func bucket(of nanoseconds: UInt64) -> Int {
        bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count
    }

    /// All of them, by name.
    var all: [(name: String, series: Series)] {
        table.withLock { table in
            table.places.map { ($0.key, table.series[$0.value]) }
        }.sorted { $0.0 < $1.0 }.map { ($0.0.text, $0.1) }
    }
}
