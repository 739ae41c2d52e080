import EventStream
import Platform
import Synchronization
import Texts

/// The sessions that read some streams, so that a version that all of them see is sent to each.
///
/// Bounded by the streams that are open: those that have left are looked for when as many again
/// have come.
final class WatchingSessions: Sendable {
    /// From how many on those that read no more make room.
    private static let sweepMin = 1_000

    private struct Table: Sendable {
        var sessions: Set<ExactText> = []
        var sweepAt = WatchingSessions.sweepMin
    }

    private let table = Locked(Table())
    /// Whether a session still reads.
    private let isReading: @Sendable (ExactText) -> Bool

    init(_ isReading: @escaping @Sendable (ExactText) -> Bool) {
        self.isReading = isReading
    }

    /// Adds a session that is about to read. Its streams have their places already.
    func insert(_ session: ExactText) {
        table.withLock { table in
            table.sessions.insert(session)
            guard table.sessions.count >= table.sweepAt else { return }
            table.sessions = table.sessions.filter(isReading)
            table.sweepAt = max(Self.sweepMin, 2 * table.sessions.count)
        }
    }

    /// Those of some sessions that read; of all, where it is `nil`.
    func among(_ sessions: Set<ExactText>?) -> [ExactText] {
        table.withLock { table in
            guard !table.sessions.isEmpty else { return [] }
            return sessions.map { $0.filter(table.sessions.contains) } ?? Array(table.sessions)
        }
    }
}
