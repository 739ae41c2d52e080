package import StoreCore
package import StorePlatform
package import StorePublishing
package import StoreTelemetry
import StoreWire
package import Synchronization

/// Keeps a snapshot of the published state every so often, on a thread of its own or of a pool, so
/// that a start has little to replay and old records can be forgotten.
package final class SnapshotKeeper: Sendable {
    /// The most bytes that the records after a snapshot have, unless there is a reason for fewer.
    package static let bytesMax: UInt64 = 64 << 20

    private let journal: any Journal
    private let form: String
    private let clock: any WallClock
    private let recordsMax: UInt64
    private let bytesMax: UInt64
    private let newest: @Sendable () -> Snapshot
    private let logger: Logger

    /// Whether a snapshot is due; several that are become one.
    private struct Due: WorkQueue {
        var isDue = false

        var isEmpty: Bool { !isDue }

        mutating func take() { isDue = false }
    }

    /// How long keeping a snapshot took, with forgetting what is beyond the bounds; and how often
    /// that failed. The one thread that saves counts.
    package let saving = Histogram()
    package let failures = Atomic<UInt64>(0)
    private let savedVersion: Atomic<UInt64>
    private let pendingBytes = Atomic<UInt64>(0)
    private let worker: Worker<Due>

    /// Makes a keeper that begins with ``start()``. It keeps the newest published state, which
    /// `newest` gives, when the records after a snapshot are as many, or have as many bytes, as
    /// these bounds.
    package init(
        journal: any Journal,
        form: String,
        savedVersion: UInt64,
        recordsMax: UInt64,
        bytesMax: UInt64 = bytesMax,
        clock: any WallClock = SystemClock(),
        logger: Logger,
        on threads: WorkerThreads = .own(),
        newest: @escaping @Sendable () -> Snapshot
    ) {
        self.journal = journal
        self.form = form
        self.clock = clock
        self.logger = logger
        self.savedVersion = Atomic(savedVersion)
        self.recordsMax = recordsMax
        self.bytesMax = bytesMax
        self.newest = newest
        worker = Worker("snapshots", on: threads, queue: Due())
    }

    package func start() {
        worker.start { [self] worker in
            while worker.next() != nil { save() }
        }
    }

    /// Notes that records have become durable. The Core's thread calls it.
    package func appended(through version: UInt64, bytes: Int) {
        let pending = pendingBytes.add(UInt64(bytes), ordering: .relaxed).newValue
        let saved = savedVersion.load(ordering: .relaxed)
        guard version >= saved + recordsMax || pending >= bytesMax else { return }
        worker.post { $0.isDue = true }
    }

    /// Ends the thread, and keeps the last state so that the next start has nothing to replay.
    package func stop() {
        _ = worker.close(seconds: .infinity) { $0.isDue = false }
        save()
    }

    private func save() {
        let snapshot = newest()
        guard snapshot.version > savedVersion.load(ordering: .relaxed) else { return }
        let began = SystemTime.steadyNanoseconds()
        defer { saving.observe(SystemTime.steadyNanoseconds() &- began) }
        do {
            try journal.save(
                StateSnapshot(
                    version: snapshot.version,
                    time: clock.now(),
                    state: snapshot.state.withUnsafeBytes { Array($0) },
                    form: form
                )
            )
        } catch {
            // The records are there, so nothing is lost but time at the next start.
            failures.count()
            logger.warning(
                .snapshotFailed,
                "the state of version \(snapshot.version) can't be kept: \(error)"
            )
        }
        // Not tried again before as much has come as usual, or a full disk would be filled at once.
        savedVersion.store(snapshot.version, ordering: .relaxed)
        pendingBytes.store(0, ordering: .relaxed)
    }
}
