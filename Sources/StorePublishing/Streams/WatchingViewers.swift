import StoreEventStream
import StorePlatform
import StoreTexts
import Synchronization

/// The viewers that read some streams, so that a version that all of them see is sent to each.
///
/// Bounded by the streams that are open: those that have left are looked for when as many again
/// have come.
final class WatchingViewers: Sendable {
    /// From how many on those that read no more make room.
    private static let sweepMin = 1_000

    private struct Table: Sendable {
        /// By their sessions; under `nil`, those that belong to none.
        var viewers: [ExactText?: Set<Viewer>] = [:]
        var count = 0
        var sweepAt = WatchingViewers.sweepMin
    }

    private let table = Locked(Table())
    /// Whether a viewer still reads.
    private let isReading: @Sendable (Viewer) -> Bool

    init(_ isReading: @escaping @Sendable (Viewer) -> Bool) {
        self.isReading = isReading
    }

    /// Adds a viewer that is about to read. Its streams have their places already.
    func insert(_ viewer: Viewer) {
        table.withLock { table in
            let isNew = table.viewers[viewer.session, default: []].insert(viewer).inserted
            if isNew { table.count += 1 }
            guard table.count >= table.sweepAt else { return }
            table.viewers = table.viewers.compactMapValues { viewers in
                let reading = viewers.filter(isReading)
                return reading.isEmpty ? nil : reading
            }
            table.count = table.viewers.values.reduce(0) { $0 + $1.count }
            table.sweepAt = max(Self.sweepMin, 2 * table.count)
        }
    }

    /// Those that read and belong to some sessions, or to none; all, where it is `nil`.
    func among(_ sessions: Set<ExactText>?) -> [Viewer] {
        table.withLock { table in
            guard !table.viewers.isEmpty else { return [] }
            guard let sessions else { return table.viewers.values.flatMap { $0 } }
            var found = table.viewers[nil].map { Array($0) } ?? []
            for session in sessions {
                if let viewers = table.viewers[session] { found += viewers }
            }
            return found
        }
    }
}
