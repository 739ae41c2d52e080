import StorePlatform
import Synchronization

/// The last analytics events of a store, for clients that ask for them. The events are in memory
/// only: a start begins with none. If there are too many events or too many bytes, the oldest
/// events are removed.
package final class RecentAnalytics: Sendable {
    /// The maximum number of bytes of all events; an event with more bytes is not stored.
    package static let bytesMax = 16 << 20
    /// The highest number of events that an operator may configure.
    package static let countCeiling = 10_000

    private struct Events: Sendable {
        /// The encoded events, from the oldest at the index `firstIndex` on. The elements before
        /// `firstIndex` are empty.
        var lines: [[UInt8]] = []
        var firstIndex = 0
        var byteCount = 0

        var count: Int { lines.count - firstIndex }

        mutating func add(_ line: [UInt8], countMax: Int) {
            lines.append(line)
            byteCount += line.count
            while count > countMax || byteCount > RecentAnalytics.bytesMax {
                byteCount -= lines[firstIndex].count
                lines[firstIndex] = []
                firstIndex += 1
            }
            // Many empty elements are removed at once, so that the average cost of an added event
            // is constant.
            guard firstIndex > countMax else { return }
            lines.removeFirst(firstIndex)
            firstIndex = 0
        }
    }

    private let countMax: Int
    private let events = Locked(Events())

    package init(countMax: Int) { self.countMax = countMax }

    /// Adds an event as the newest. Cost: one encoding of the event, and a short lock. An event
    /// that cannot be encoded as JSON is left out here, but ``AnalyticsWriter`` counts and logs the
    /// event.
    package func add(_ event: AnalyticsEvent, _ encoder: CloudEventEncoder) {
        guard let line = try? encoder.json(for: event) else { return }
        events.withLock { $0.add(line, countMax: countMax) }
    }

    /// Returns the last events, at most `limit` of them, as a JSON array in CloudEvents' batch
    /// format. The newest event is the last element.
    package func newestEventsJSON(limit: Int) -> [UInt8] {
        let lines = events.withLock { events in
            Array(events.lines[events.firstIndex...].suffix(max(limit, 0)))
        }
        return [UInt8(ascii: "[")] + lines.joined(separator: CollectionOfOne(UInt8(ascii: ",")))
            + [UInt8(ascii: "]")]
    }
}
