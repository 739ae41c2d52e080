import Glibc
package import StoreCore
import StoreJSON
package import StorePlatform
package import StoreTelemetry
package import Synchronization

/// An object that saves snapshots of the published state in the journal, on a thread of its own or
/// of a pool. So a start has few records to replay, and old records can be deleted.
package final class SnapshotKeeper: Sendable {
    /// The bytes of records after which a snapshot is due; a caller may set a smaller number.
    package static let recordBytesBetweenSnapshots: UInt64 = 64 << 20

    /// The maximum time, in seconds, that a forget waits until the newest version is published.
    private static let publishingSecondsMax = 10.0

    private let journal: any Journal
    private let stateFormDigest: String
    private let clock: any WallClock
    private let recordsBetweenSnapshots: UInt64
    private let recordBytesBetweenSnapshots: UInt64
    private let newestState: @Sendable () -> any EncodedState
    private let logger: Logger

    /// The queue of the saving thread. Several requests before a save cause only one snapshot.
    private struct DueQueue: WorkQueue {
        var isDue = false
        var isEmpty: Bool { !isDue }
        mutating func take() { isDue = false }
    }

    /// The durations of the saves. Each save includes the deletion of records beyond the bounds.
    /// Only the saving thread adds to this histogram and to `failureCount`.
    package let saveDurations = Histogram()
    package let failureCount = Atomic<UInt64>(0)
    private let savedVersion: Atomic<UInt64>
    private let pendingBytes = Atomic<UInt64>(0)
    private let worker: Worker<DueQueue>

    /// Makes a keeper; ``start()`` starts its thread. After `recordsMax` records or `bytesMax`
    /// bytes since the last snapshot, the keeper saves the state that `newest` returns.
    package init(
        journal: any Journal,
        stateFormDigest: String,
        savedVersion: UInt64,
        recordsMax: UInt64,
        bytesMax: UInt64 = recordBytesBetweenSnapshots,
        clock: any WallClock = SystemClock(),
        logger: Logger,
        on threads: WorkerThreads = .own(),
        newestState: @escaping @Sendable () -> any EncodedState
    ) {
        self.journal = journal
        self.stateFormDigest = stateFormDigest
        self.clock = clock
        self.logger = logger
        self.savedVersion = Atomic(savedVersion)
        self.recordsBetweenSnapshots = recordsMax
        self.recordBytesBetweenSnapshots = bytesMax
        self.newestState = newestState
        worker = Worker("snapshots", on: threads, queue: DueQueue())
    }

    package func start() {
        worker.start { [self] worker in
            while worker.next() != nil { save() }
        }
    }

    /// Counts records that have become durable. The Core's thread calls this function.
    package func countAppended(through version: UInt64, bytes: Int) {
        let pending = pendingBytes.add(UInt64(bytes), ordering: .relaxed).newValue
        let saved = savedVersion.load(ordering: .relaxed)
        guard version >= saved + recordsBetweenSnapshots || pending >= recordBytesBetweenSnapshots
        else { return }
        worker.post { $0.isDue = true }
    }

    /// Ends the thread, and saves the last state, so that the next start has nothing to replay.
    package func stop() {
        _ = worker.close(seconds: .infinity) { $0.isDue = false }
        save()
    }

    /// Begins a forget in the journal, before the actions with this origin.
    package func prepareForget(_ owners: [String], origin: String) {
        (journal as? any ForgettingJournal)?.prepareForget(owners, origin: origin)
    }

    /// Forgets owners in the journal, with the newest state as the only snapshot. Returns the
    /// version of this state. The journal has to be a ``ForgettingJournal``.
    package func forget(_ owners: [String]) throws -> UInt64 {
        guard let journal = journal as? any ForgettingJournal else {
            throw JournalError.unknown("nothing was forgotten: this journal can't forget")
        }
        return try journal.forget(owners) { version in
            // The Core publishes a version soon after its append.
            let deadline = Deadline(seconds: Self.publishingSecondsMax)
            while newestState().version < version, !deadline.isOver { usleep(1_000) }
            let newest = newestState()
            savedVersion.store(newest.version, ordering: .relaxed)
            return StateSnapshot(
                version: newest.version,
                time: clock.now(),
                state: newest.state.withUnsafeBytes { Array($0) },
                form: stateFormDigest
            )
        }
    }

    private func save() {
        let newest = newestState()
        guard newest.version > savedVersion.load(ordering: .relaxed) else { return }
        let began = SystemTime.steadyNanoseconds()
        defer { saveDurations.observe(SystemTime.steadyNanoseconds() &- began) }
        do {
            let (version, time) = (newest.version, clock.now())
            let state = newest.state.withUnsafeBytes { Array($0) }
            try journal.save(
                StateSnapshot(version: version, time: time, state: state, form: stateFormDigest)
            )
        } catch {
            // The records are durable, so a failed save only makes the next start take more time.
            failureCount.increment()
            let failure = "the state of version \(newest.version) can't be kept: \(error)"
            logger.warning(.snapshotFailed, failure)
        }
        // The next attempt comes after the usual number of records: an attempt for each record
        // would not help a full disk.
        savedVersion.store(newest.version, ordering: .relaxed)
        pendingBytes.store(0, ordering: .relaxed)
    }
}
