package import StoreCore
package import StoreJSON
package import StorePlatform
package import StoreTelemetry
package import StoreWire
import Synchronization

/// The log of actions for the stream writer, in pieces of encoded records (``LogPiece``). A thread
/// of the log's own, or of a pool, reads the records from the journal. A cache keeps the pieces for
/// all readers.
///
/// Without a reader, a commit costs one atomic store and one atomic load.
package final class ActionLog: LogSource, VersionFollower {
    package let journal: any Journal
    let logger: Logger
    package let epoch: Epoch
    let worker: Worker<LogQueue>
    private let durableVersion: Atomic<UInt64>
    /// The version that a reader waits for, later than ``durableVersion``; 0 if no reader waits.
    private let awaitedVersion = Atomic<UInt64>(0)
    private let onRead: @Sendable () -> Void
    package let visibility: RecordVisibility

    /// Makes a log. `version` is the newest published version. The log's thread calls `onRead`
    /// after each read, so that the stream writer checks its readers.
    package init(
        journal: any Journal,
        epoch: Epoch,
        version: UInt64,
        logger: Logger,
        visibility: RecordVisibility = .unrestricted,
        on threads: WorkerThreads = .own(),
        onRead: @escaping @Sendable () -> Void
    ) {
        self.journal = journal
        self.epoch = epoch
        self.logger = logger
        self.onRead = onRead
        self.visibility = visibility
        worker = Worker("actions", on: threads, queue: LogQueue())
        durableVersion = Atomic(version)
    }

    package var newestVersion: UInt64 { durableVersion.load(ordering: .sequentiallyConsistent) }

    package func start() {
        worker.start { [self] worker in
            while let version = worker.next() {
                readPiece(with: version)
                onRead()
            }
        }
    }

    /// Ends the thread. Returns when the thread no longer uses the journal, or after `seconds`.
    package func close(seconds: Double) {
        _ = worker.close(seconds: seconds) { $0.dropRequested() }
    }

    /// Records that all versions through `version` are published. The Core's thread calls this
    /// function.
    package func notePublished(_ version: UInt64) {
        durableVersion.store(version, ordering: .sequentiallyConsistent)
        // This thread stores the new version, then loads `awaitedVersion`; `next` stores
        // `awaitedVersion`, then loads the newest version. Either the reader finds the new version,
        // or this thread finds the waiting reader.
        guard awaitedVersion.load(ordering: .sequentiallyConsistent) != 0 else { return }
        let requested = awaitedVersion.exchange(0, ordering: .sequentiallyConsistent)
        if requested != 0 { request(requested) }
    }
}

extension ActionLog {
    package func next(after version: UInt64, for viewer: Viewer) -> LogAnswer {
        if version >= self.newestVersion {
            awaitedVersion.store(version &+ 1, ordering: .sequentiallyConsistent)
            if version >= self.newestVersion { return .caughtUp(version) }
        }
        let answer = worker.post { work -> LogAnswer in
            if let piece = work.cache.piece(with: version + 1) {
                return .piece(work.viewerPieces.filtered(piece, for: viewer))
            }
            if version + 1 < work.oldestVersion {
                let resync = SSEFrame.resync(.historyGone)
                return .gone(resync: resync, through: work.oldestVersion - 1)
            }
            if work.takeFailure(of: version + 1) { return .unreadable }
            work.request(version + 1)
            return .pending
        }
        return answer ?? .pending
    }

    /// Empties the caches. Call this function after a forget, which changes the plain form of
    /// records.
    package func dropCache() {
        worker.withQueue { work in
            work.cacheDropCount += 1
            work.cache = LogCache()
            work.viewerPieces = ViewerPieces()
        }
    }

    package func caughtUpFrame(at version: UInt64) -> Bytes {
        SSEFrame.caughtUp(at: Tag(epoch: epoch, version: version))
    }

    private func request(_ version: UInt64) { worker.post { $0.request(version) } }
}

// The work of the log's thread: it reads the versions that readers need next.

extension ActionLog {
    /// Reads the piece of the log with this version, and puts the piece into the cache, unless the
    /// cache already has the version.
    package func readPiece(with version: UInt64) {
        let newest = self.newestVersion
        let (found, earlier, number) = worker.withQueue { work -> (LogPiece?, LogPiece?, Int) in
            let found = work.cache.piece(with: version)
            let starts = version == LogCache.block(of: version).lowerBound
            let earlier = found == nil && !starts ? work.cache.piece(with: version - 1) : nil
            return (found, earlier, work.cacheDropCount)
        }
        guard found == nil, version <= newest else { return }
        do throws(JournalError) {
            let piece = try piece(with: version, extending: earlier, newest: newest)
            worker.withQueue { work in
                // If the cache was emptied meanwhile, the piece may have values that are now
                // forgotten.
                if work.cacheDropCount == number { work.cache.insert(piece) }
                work.hasLastReadFailed = false
            }
        } catch {
            if case .gone(let oldest) = error, oldest > version {
                worker.withQueue { $0.oldestVersion = max($0.oldestVersion, oldest) }
            } else if worker.withQueue({ $0.noteFailure(of: version) }) {
                let failure = "the log can't be read at version \(version): \(error)"
                logger.error(.journalUnreadable, failure)
            }
        }
    }

    /// Returns a piece that has `version`. If `earlier` is a short piece, the result begins with
    /// its frames. Without `earlier`, the result begins at the start of the block, unless earlier
    /// records are too large or deleted. In all other cases, the result begins at `version`.
    private func piece(
        with version: UInt64,
        extending earlier: LogPiece?,
        newest: UInt64
    ) throws(JournalError) -> LogPiece {
        let block = LogCache.block(of: version)
        let end = min(block.upperBound, newest)
        if earlier == nil, block.lowerBound < version {
            var records: [Record] = []
            do throws(JournalError) {
                records = try readFirstRecords(of: block.lowerBound...end)
            } catch {
                guard case .gone = error else { throw error }
            }
            if let last = records.last, last.version >= version {
                return LogPiece(records[...], epoch: epoch, visibility: visibility)
            }
        }
        let records = try readFirstRecords(of: version...end)
        let isShort = earlier.map { $0.bytes.count < LogCache.shortPieceBytes } ?? false
        return LogPiece(
            records[...],
            epoch: epoch,
            visibility: visibility,
            extending: isShort ? earlier : nil
        )
    }

    /// Returns the first records of a range: at least one record, and without a gap.
    private func readFirstRecords(of versions: ClosedRange<UInt64>) throws(JournalError) -> [Record]
    {
        let page = JournalPageRequest(
            after: versions.lowerBound - 1,
            limit: Int(versions.upperBound - versions.lowerBound) + 1,
            bytesMax: LogCache.pieceBytesMax
        )
        let records = try journal.read(page).records
        for (place, record) in records.enumerated()
        where record.version != versions.lowerBound + UInt64(place) {
            throw .corrupt("version \(record.version) is in the place of another version")
        }
        guard !records.isEmpty else { throw .corrupt("version \(versions.lowerBound) is missing") }
        return records
    }
}

/// The queue of the log's thread: the versions that readers need, and the pieces that were read.
struct LogQueue: WorkQueue {
    /// The maximum number of versions that wait to be read. If a reader's version has no room, the
    /// reader asks again later.
    static let requestedMax = 1_024

    var cache = LogCache()
    /// The number of times that the cache was emptied.
    var cacheDropCount = 0
    var viewerPieces = ViewerPieces()
    /// The oldest version in the journal, which a read reports if a record is deleted; 1 before the
    /// first report.
    var oldestVersion: UInt64 = 1
    /// The versions that readers need next, in the order of the requests.
    private var requestedVersions: [UInt64] = []
    private var requestedSet: Set<UInt64> = []
    /// The versions that could not be read. A version is removed when the next reader asks for it.
    private var unreadableVersions: Set<UInt64> = []
    /// True if the last attempt to read failed.
    var hasLastReadFailed = false

    var isEmpty: Bool { requestedVersions.isEmpty }

    mutating func request(_ version: UInt64) {
        guard requestedVersions.count < Self.requestedMax, requestedSet.insert(version).inserted
        else {
            return
        }
        requestedVersions.append(version)
    }

    mutating func take() -> UInt64 {
        let version = requestedVersions.removeFirst()
        requestedSet.remove(version)
        return version
    }

    mutating func dropRequested() {
        requestedVersions = []
        requestedSet = []
    }

    /// Records that a version could not be read. Returns true if the attempt before succeeded, so
    /// that several failures in a row are logged once.
    mutating func noteFailure(of version: UInt64) -> Bool {
        // Some readers of these versions may be gone; the remaining readers ask again.
        if unreadableVersions.count >= Self.requestedMax { unreadableVersions = [] }
        unreadableVersions.insert(version)
        defer { hasLastReadFailed = true }
        return !hasLastReadFailed
    }

    mutating func takeFailure(of version: UInt64) -> Bool {
        unreadableVersions.remove(version) != nil
    }
}
