package import StoreCore
package import StoreEventStream
package import StorePlatform
import StorePublishing
package import StoreTelemetry
package import StoreWire
import Synchronization

/// The log of actions for the stream writer: pieces of encoded records. A thread of its own or of a
/// pool reads them from the journal. A cache keeps them for all readers.
///
/// Without a reader, a commit costs one store and one load.
package final class ActionLog: LogSource, VersionFollower {
    package let journal: any Journal
    let logger: Logger
    package let epoch: Epoch
    let worker: Worker<LogWork>
    private let durable: Atomic<UInt64>
    /// The version after ``durable`` that a reader waits for; 0 if no reader waits.
    private let awaited = Atomic<UInt64>(0)
    private let onMove: @Sendable () -> Void
    /// The owner of each record.
    package let owners: RecordOwners

    /// Makes a log; ``start()`` starts its thread. `version` is the published version. `onMove` is
    /// called on the log's thread after each read, and makes the stream writer check its readers.
    package init(
        journal: any Journal,
        epoch: Epoch,
        version: UInt64,
        logger: Logger,
        owners: RecordOwners = .everybody,
        on threads: WorkerThreads = .own(),
        onMove: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        self.epoch = epoch
        self.logger = logger
        self.onMove = onMove
        self.owners = owners
        worker = Worker("actions", on: threads, queue: LogWork())
        durable = Atomic(version)
    }

    package var version: UInt64 { durable.load(ordering: .sequentiallyConsistent) }

    package func start() {
        worker.start { [self] worker in
            while let version = worker.next() {
                read(version)
                onMove()
            }
        }
    }

    /// Ends the thread. Returns when the thread no longer uses the journal, or after `seconds`.
    package func close(seconds: Double) {
        _ = worker.close(seconds: seconds) { $0.dropRequested() }
    }

    /// Records that all versions through `version` are published. The Core's thread calls it.
    package func published(_ version: UInt64) {
        durable.store(version, ordering: .sequentiallyConsistent)
        // Pairs with `next`: either the reader finds the new version, or this thread finds the
        // waiting reader.
        guard awaited.load(ordering: .sequentiallyConsistent) != 0 else { return }
        let requested = awaited.exchange(0, ordering: .sequentiallyConsistent)
        if requested != 0 { request(requested) }
    }
}

extension ActionLog {
    package func next(after version: UInt64, for viewer: Viewer) -> LogAnswer {
        if version >= self.version {
            awaited.store(version &+ 1, ordering: .sequentiallyConsistent)
            if version >= self.version { return .caughtUp(version) }
        }
        let answer = worker.post { work -> LogAnswer in
            if let piece = work.cache.piece(with: version + 1) {
                return .piece(work.seen.piece(piece, by: viewer))
            }
            if version + 1 < work.oldest {
                let resync = SSEFrame.resync(.historyGone)
                return .gone(resync: resync, through: work.oldest - 1)
            }
            if work.takeFailure(of: version + 1) { return .unreadable }
            work.request(version + 1)
            return .pending
        }
        return answer ?? .pending
    }

    package func caughtUp(at version: UInt64) -> Bytes {
        SSEFrame.caughtUp(at: Tag(epoch: epoch, version: version))
    }

    private func request(_ version: UInt64) {
        worker.post { $0.request(version) }
    }
}
