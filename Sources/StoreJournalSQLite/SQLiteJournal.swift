import CStoreSQLite
import Glibc
public import StoreCore
import StorePlatform
import Synchronization

/// A journal in a directory, on SQLite. Its records survive the end of the process, a kill and a
/// power cut.
///
/// Every append is one transaction, which is synced before the append returns. Each record has a
/// hash over its own fields and the hash of the record before. A high-water mark beside the
/// database has the last version. So damaged or missing records are found when the directory is
/// opened, and on each read.
public final class SQLiteJournal: Journal {
    /// The maximum number of bytes that a record's payload, its meta, or a state may have: 512 MiB.
    /// SQLite's own bound on a row is 1,000,000,000 bytes.
    public static let fieldBytesMax = Record.fieldBytesMax

    /// The maximum number of idle connections that are kept for reading.
    static let idleReadersMax = 4

    /// The first and last versions of records and snapshots, for readers that must not wait for an
    /// append.
    private struct Extent {
        var newestVersion: UInt64
        var baseVersion: UInt64
        var oldestSnapshotVersion: UInt64?
        var newestSnapshotVersion: UInt64?

        init(_ contents: DatabaseSummary) {
            let base = contents.meta.base.version
            newestVersion = contents.end.version
            self.baseVersion = base
            oldestSnapshotVersion = contents.snapshots.first { $0.version >= base }?.version
            newestSnapshotVersion = contents.snapshots.last?.version
        }
    }

    /// The objects that are released when the journal closes.
    private struct OpenResources {
        let writer: Writer
        let mark: MarkFile
        let directory: JournalDirectory
    }

    private struct Readers {
        var idle: [Reader] = []
        var isClosed = false
    }

    let retention: Retention
    let clock: any WallClock
    let keyClock: any WallClock
    let log: @Sendable (String) -> Void
    let databasePath: String
    /// The sealer of personal values; `nil` if the history has none.
    let sealer: RecordSealer?
    /// The lock that an append holds from its first sealed value to the end of its transaction.
    let appendLock = Locked(())
    /// The lock that one save of a snapshot at a time holds.
    let saveLock = Locked(())
    /// The value of ``oldestRestorableVersion``.
    let forgottenVersion: Locked<UInt64>
    /// The durations of the syncs of batches; only the thread with the write lock adds a duration.
    let syncDurations = Histogram()
    private let openResources: Locked<OpenResources?>
    private let extent: Locked<Extent>
    private let readers = Locked(Readers())

    /// The name of the unbroken history in the directory.
    public let epoch: UInt32

    /// Opens the journal in a directory, or makes a new journal, and checks the contents.
    ///
    /// Cost: reads and checks the newest snapshot and every record after it.
    ///
    /// - Parameters:
    ///   - directory: the directory. A missing directory is made, for its owner only.
    ///   - retention: the bounds on the records, snapshots and keys that are kept.
    ///   - clock: measures the age of records.
    ///   - keyClock: measures the age of keys. The caller of ``append(_:at:)``
    ///     takes the times of keys from the same clock. The journal sets the clock forward to the
    ///     time of the newest key. So no new key looks older than a stored key, even if the time
    ///     of day was set back between two runs.
    ///   - acceptDataLoss: continues with the intact records under a new epoch if history is
    ///     damaged.
    ///   - keepsForm: leaves the file of an older server in its form, so that the older server can
    ///     still read it. Nothing can be appended to this file. If false, the file is upgraded to
    ///     the form of today.
    ///   - log: gets lines for the operator, from any thread.
    /// - Throws: ``JournalOpenError``.
    public convenience init(
        directory: String,
        retention: Retention = Retention(),
        clock: any WallClock = SystemClock(),
        keyClock: SteadyClock? = nil,
        acceptDataLoss: Bool = false,
        keepsForm: Bool = false,
        log: @escaping @Sendable (String) -> Void
    ) throws(JournalOpenError) {
        try self.init(
            directory: directory,
            retention: retention,
            clock: clock,
            keyClock: keyClock,
            acceptDataLoss: acceptDataLoss,
            keepsForm: keepsForm,
            follower: nil,
            log: log
        )
    }

    /// Opens the journal, and passes the checked records to a follower. A journal with a sealer
    /// has no follower, because a follower gets stored records. A journal that keeps its form may
    /// lack the keys of its sealed values, as long as only stored records are read.
    package init(
        directory: String,
        retention: Retention,
        clock: any WallClock = SystemClock(),
        keyClock: SteadyClock?,
        acceptDataLoss: Bool,
        keepsForm: Bool = false,
        follower: (any HistoryFollower)?,
        sealer: RecordSealer? = nil,
        log: @escaping @Sendable (String) -> Void
    ) throws(JournalOpenError) {
        let directory = try JournalDirectory(directory)
        let opening = JournalOpening(
            directory: directory,
            acceptsDataLoss: acceptDataLoss,
            keepsOlderFormat: keepsForm,
            follower: follower,
            log: log
        )
        let (writer, mark) = try opening.open()
        let isStoredFormEnough = keepsForm && sealer == nil
        forgottenVersion = Locked(
            try isStoredFormEnough
                ? 0 : Self.passOverForgottenSnapshots(writer, sealer, in: directory.path)
        )
        self.sealer = sealer
        self.retention = retention
        self.clock = clock
        keyClock?.advance(toAtLeast: writer.contents.newestKeyTime)
        self.keyClock = keyClock ?? clock
        self.log = log
        databasePath = directory.databasePath
        epoch = writer.contents.meta.epoch
        extent = Locked(Extent(writer.contents))
        openResources = Locked(OpenResources(writer: writer, mark: mark, directory: directory))
    }

    /// The version of the newest record.
    public var version: UInt64 { extent.withLock { $0.newestVersion } }
    /// The oldest version whose record can be read.
    public var oldestVersion: UInt64 { extent.withLock { $0.baseVersion + 1 } }
    /// The version of the oldest snapshot from which all records up to now can be read.
    public var oldestSnapshotVersion: UInt64? { extent.withLock { $0.oldestSnapshotVersion } }
    /// The version of the newest snapshot.
    public var newestSnapshotVersion: UInt64? { extent.withLock { $0.newestSnapshotVersion } }
    /// Always true, because disks fill up and break.
    public var canFail: Bool { true }

    /// Appends a batch in one transaction, and returns when the batch is synced.
    ///
    /// - Throws: ``JournalError/conflict(version:)`` if `expected` is not the newest version.
    ///   Throws ``JournalError/storageFull`` if nothing was written and the caller may try again.
    ///   Throws ``JournalError/unknown(_:)`` if a record does not fit, with a text that begins with
    ///   "nothing was written". After any other error, every later append fails, too: the journal
    ///   must be opened again.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        guard let sealer else { return try write(batch, at: expected) }
        try appendLock.withLock { _ throws(JournalError) in
            try write(try sealer.seal(batch), at: expected)
        }
    }

    private func write(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        let notice = try withWriter { [syncDurations] (writer, mark) throws(JournalError) in
            let newest = writer.contents.end.version
            guard newest == expected else { throw .conflict(version: newest) }
            try Self.check(batch, after: expected)
            try writer.write(batch, timing: syncDurations)
            mark.write(epoch: writer.contents.meta.epoch, end: writer.contents.end)
            return writer.checkpointIfDue()
        }
        if let notice { log(notice) }
    }

    /// Moves all pages of the write-ahead log into the database, makes the mark durable, and
    /// releases the directory.
    ///
    /// After a call of `close()`, calls of other functions fail. A second call of `close()` does
    /// nothing.
    public func close() {
        // The readers close first: the last connection to close deletes the write-ahead log, and
        // has to be the writer's.
        readers.withLock { $0 = Readers(isClosed: true) }
        let notice = openResources.withLock { opened -> String? in
            guard let open = opened else { return nil }
            let notice = open.writer.checkpointAll()
            open.mark.sync()
            opened = nil
            return notice
        }
        sealer?.keys.close()
        if let notice { log(notice) }
    }

    /// Throws if SQLite or the canonical form can't store a record. A client can't cause this
    /// error, because the bounds on requests are not larger.
    private static func check(_ batch: JournalBatch, after: UInt64) throws(JournalError) {
        var next = after
        for record in batch.records {
            next += 1
            guard record.version == next, next <= UInt64(Int64.max) else {
                throw .unknown(
                    "nothing was written: version \(record.version) is not the next version"
                )
            }
            let largest = max(record.type.utf8.count, record.payload.count, record.meta?.count ?? 0)
            guard largest <= Self.fieldBytesMax else {
                throw .unknown(
                    "nothing was written: a field of \(largest) bytes is over the bound of"
                        + " \(Self.fieldBytesMax)"
                )
            }
        }
    }
}

extension SQLiteJournal {
    /// Writes with the only writing connection, and then updates the extent that readers use.
    func withWriter<Result: Sendable>(
        _ body: (Writer, MarkFile) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try openResources.withLock { (opened) throws(JournalError) -> Result in
            guard let open = opened else { throw .unknown("the journal is closed") }
            let result = try body(open.writer, open.mark)
            let reached = Extent(open.writer.contents)
            extent.withLock { $0 = reached }
            return result
        }
    }

    /// Reads with an idle connection of the pool, or with a new one.
    func withReader<Result>(
        _ body: (Reader) throws(DatabaseFailure) -> Result
    ) throws(JournalError) -> Result {
        let reader = try takeReader()
        defer { giveBack(reader) }
        do throws(DatabaseFailure) {
            return try body(reader)
        } catch {
            throw error.journalReadError
        }
    }

    private func takeReader() throws(JournalError) -> Reader {
        let (idle, isClosed) = readers.withLock { ($0.idle.popLast(), $0.isClosed) }
        if let idle { return idle }
        guard !isClosed else { throw .unknown("the journal is closed") }
        do throws(DatabaseFailure) {
            return try Reader(databasePath)
        } catch {
            throw error.nonRetryableError
        }
    }

    private func giveBack(_ reader: Reader) {
        readers.withLock { readers in
            guard !readers.isClosed, readers.idle.count < Self.idleReadersMax else { return }
            readers.idle.append(reader)
        }
    }
}

// Figures

extension SQLiteJournal: MeasuredJournal {
    /// The sizes of the database and of its write-ahead log, and the durations of the syncs.
    package var figures: JournalFigures {
        (
            files: [
                ("database", Self.fileSize(of: databasePath)),
                ("log", Self.fileSize(of: databasePath + "-wal")),
            ],
            syncs: syncDurations.distribution
        )
    }

    /// The version of the loaded SQLite library.
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    /// Returns the size of a file; 0 if there is no such file.
    private static func fileSize(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }
}

/// The reason why a journal can't be opened, with texts for the operator.
public struct JournalOpenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of obstacle.
    public enum Reason: Sendable, Equatable {
        /// The directory can't be used.
        case directory
        /// Another process uses the directory.
        case inUse
        /// The file belongs to another program, or has a newer form than this journal reads.
        case foreign
        /// History is damaged or ends too early.
        case damaged
        /// The system or SQLite reports an error.
        case system
    }

    /// The kind of obstacle.
    public let reason: Reason
    /// The attempt and its result, as text for the operator.
    public let message: String
    /// The remedy, as text for the operator.
    public let hint: String

    init(_ reason: Reason, _ message: String, hint: String) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }

    /// The message and the hint, each on a line.
    public var description: String { "\(message)\n\(hint)" }
}
