import StoreEventStream
import StorePlatform
import StoreTexts
import Synchronization

/// The viewers with an open stream of some topics. A version is sent to each of them.
///
/// Bounded by the open streams: viewers without a stream are dropped after the number of viewers
/// has doubled.
final class WatchingViewers: Sendable {
    /// The number of viewers from which viewers without a stream are dropped.
    private static let sweepMin = 1_000

    private struct Table: Sendable {
        /// The viewers by their sessions. Under `nil`: the viewers without a session.
        var viewers: [ExactText?: Set<Viewer>] = [:]
        var count = 0
        var sweepAt = WatchingViewers.sweepMin
    }

    private let table = Locked(Table())
    /// True if a viewer still has a stream, or a reserved place.
    private let isReading: @Sendable (Viewer) -> Bool

    init(_ isReading: @escaping @Sendable (Viewer) -> Bool) {
        self.isReading = isReading
    }

    /// Adds a viewer that is about to read. The places of its streams must be reserved already.
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

    /// Returns the viewers of some sessions, and all viewers without a session. Returns all viewers
    /// if `sessions` is `nil`.
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
