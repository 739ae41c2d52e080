import StorePlatform
import StoreWire
import Synchronization

/// The last analytics events of a store, for those who ask for them.
///
/// In memory alone: they begin anew with each start. The oldest are left out when there are too
/// many, or when they have too many bytes.
package final class RecentAnalytics: Sendable {
    /// The most bytes that all events have; one that alone has more is not kept.
    package static let bytesMax = 16 << 20
    /// The most events that an operator may have kept.
    package static let countCeiling = 10_000

    private struct Events: Sendable {
        /// The oldest at `first`, and those behind it; what lies before is free.
        var lines: [[UInt8]] = []
        var first = 0
        var bytes = 0

        var count: Int { lines.count - first }

        mutating func add(_ line: [UInt8], countMax: Int) {
            lines.append(line)
            bytes += line.count
            while count > countMax || bytes > RecentAnalytics.bytesMax {
                bytes -= lines[first].count
                lines[first] = []
                first += 1
            }
            // Each place is freed once for as many that come.
            guard first > countMax else { return }
            lines.removeFirst(first)
            first = 0
        }
    }

    private let countMax: Int
    private let events = Locked(Events())

    /// Keeps at most so many events.
    package init(countMax: Int) {
        self.countMax = countMax
    }

    /// Adds an event as the newest. Cost: encoding it, and a short lock. An event without a JSON
    /// form is left out: the writer of the lines counts and logs those.
    package func add(_ event: AnalyticsEvent, _ encoder: CloudEventEncoder) {
        guard let line = try? encoder.event(event) else { return }
        events.withLock { $0.add(line, countMax: countMax) }
    }

    /// The last events, at most so many, the newest last: a JSON array, in CloudEvents' batch
    /// format.
    package func batch(limit: Int) -> [UInt8] {
        let lines = events.withLock { events in
            Array(events.lines[events.first...].suffix(max(limit, 0)))
        }
        var batch: [UInt8] = []
        batch.reserveCapacity(2 + lines.reduce(0) { $0 + $1.count + 1 })
        batch.append(UInt8(ascii: "["))
        for (place, line) in lines.enumerated() {
            if place > 0 { batch.append(UInt8(ascii: ",")) }
            batch += line
        }
        batch.append(UInt8(ascii: "]"))
        return batch
    }
}
