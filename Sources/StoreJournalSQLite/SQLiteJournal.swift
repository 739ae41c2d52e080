public import StoreCore
import StorePlatform
import Synchronization

/// A journal in a directory, on SQLite: it outlives the process, a kill and a power cut.
///
/// Every append is one transaction that is synced before it returns. Each record carries a hash
/// over itself and the one before it, and a high-water mark beside the database has the last
/// version. So damaged or missing records are found when the directory is opened, and on each read.
public final class SQLiteJournal: Journal {
    /// The most bytes of a record's payload, of its meta and of a state: 512 MiB. SQLite's own
    /// bound on a row is 1,000,000,000.
    public static let fieldBytesMax = Record.fieldBytesMax

    /// How many idle connections are kept for reading.
    static let readersKept = 4

    /// Where history begins and ends, for those who may not wait for an append.
    private struct Extent {
        var end: UInt64
        var base: UInt64
        var oldestSnapshot: UInt64?
        var newestSnapshot: UInt64?

        init(_ writer: Writer) {
            end = writer.end.version
            let base = writer.meta.base.version
            self.base = base
            oldestSnapshot = writer.snapshots.first { $0.version >= base }?.version
            newestSnapshot = writer.snapshots.last?.version
        }
    }

    /// What goes when the journal closes.
    private struct Opened {
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
    /// How long the syncs of batches took; the write lock's holder observes.
    let syncs = Histogram()
    private let opened: Locked<Opened?>
    private let extent: Locked<Extent>
    private let readers = Locked(Readers())

    /// Identifies the continuous history that the directory holds.
    public let epoch: UInt32

    /// Opens the journal in a directory, or makes one, and checks what is there.
    ///
    /// Cost: reads and checks the newest snapshot and every record after it.
    ///
    /// - Parameters:
    ///   - directory: made, for its owner only, where it does not exist.
    ///   - retention: how much is kept.
    ///   - clock: gives the time by which records are too old to be kept.
    ///   - keyClock: gives the time by which keys are too old; the caller of ``append(_:)`` takes
    ///     their times from the same clock. The journal sets it forward to the time of the newest
    ///     key, so that no new key looks older when the time of day was set back between two runs.
    ///   - acceptDataLoss: goes on with what is intact where history is damaged, under a new epoch.
    ///   - keepsForm: leaves a file that an older server wrote in its form, so that this server can
    ///     still read it; then nothing can be appended to it. Otherwise it gets this server's form.
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

    /// Likewise, and hands what is checked to a follower.
    package init(
        directory: String,
        retention: Retention,
        clock: any WallClock = SystemClock(),
        keyClock: SteadyClock?,
        acceptDataLoss: Bool,
        keepsForm: Bool = false,
        follower: (any HistoryFollower)?,
        log: @escaping @Sendable (String) -> Void
    ) throws(JournalOpenError) {
        let directory = try JournalDirectory(directory)
        let opening = JournalOpening(
            directory,
            acceptDataLoss: acceptDataLoss,
            keepsForm: keepsForm,
            follower: follower,
            log: log
        )
        let (writer, mark) = try opening.run()
        self.retention = retention
        self.clock = clock
        keyClock?.goOn(from: writer.newestKeyTime)
        self.keyClock = keyClock ?? clock
        self.log = log
        databasePath = directory.database
        epoch = writer.meta.epoch
        extent = Locked(Extent(writer))
        opened = Locked(Opened(writer: writer, mark: mark, directory: directory))
    }

    /// The version of the newest record.
    public var version: UInt64 { extent.withLock { $0.end } }
    /// The oldest version whose record can be read.
    public var oldest: UInt64 { extent.withLock { $0.base + 1 } }
    /// The version of the oldest snapshot from which all records up to now can be read.
    public var oldestSnapshot: UInt64? { extent.withLock { $0.oldestSnapshot } }
    /// The version of the newest snapshot.
    public var newestSnapshot: UInt64? { extent.withLock { $0.newestSnapshot } }
    /// Disks fill up and break.
    public var canFail: Bool { true }

    /// Appends a batch in one transaction, and returns when it is synced.
    ///
    /// - Throws: ``JournalError/storageFull`` where nothing was written and it may be tried again.
    ///   After ``JournalError/unknown(_:)`` every later append fails too: the journal must be
    ///   opened anew.
    public func append(_ batch: JournalBatch, at expected: UInt64) throws(JournalError) {
        let notice = try write { [syncs] (writer, mark) throws(JournalError) in
            guard writer.end.version == expected else {
                throw .conflict(version: writer.end.version)
            }
            try Self.check(batch, after: expected)
            try writer.append(batch, timing: syncs)
            mark.write(epoch: writer.meta.epoch, end: writer.end)
            return writer.checkpointIfDue()
        }
        if let notice { log(notice) }
    }

    /// Moves everything into the database, makes the mark durable, and lets the directory go.
    ///
    /// Whatever is asked of the journal afterwards fails. Closing twice is no error.
    public func close() {
        // Readers first: the log goes away with the last connection, which has to be the writer's.
        readers.withLock { $0 = Readers(isClosed: true) }
        let notice = opened.withLock { opened -> String? in
            guard let open = opened else { return nil }
            let notice = open.writer.checkpointAll()
            open.mark.sync()
            opened = nil
            return notice
        }
        if let notice { log(notice) }
    }

    /// What SQLite and the canonical form can hold. Requests are bounded far below.
    private static func check(_ batch: JournalBatch, after: UInt64) throws(JournalError) {
        var next = after
        for record in batch.records {
            next += 1
            guard record.version == next, next <= UInt64(Int64.max) else {
                throw .unknown("nothing was written: version \(record.version) does not follow")
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
    /// Writes with the one connection that may, and then updates the extent that readers use.
    func write<Result: Sendable>(
        _ body: (Writer, MarkFile) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try opened.withLock { (opened) throws(JournalError) -> Result in
            guard let open = opened else { throw .unknown("the journal is closed") }
            let result = try body(open.writer, open.mark)
            let reached = Extent(open.writer)
            extent.withLock { $0 = reached }
            return result
        }
    }

    /// Reads with a connection of the pool, or with one more.
    func withReader<Result>(
        _ body: (Reader) throws(ReadFailure) -> Result
    ) throws(JournalError) -> Result {
        let reader = try takeReader()
        defer { giveBack(reader) }
        do throws(ReadFailure) {
            return try body(reader)
        } catch {
            throw error.journalError
        }
    }

    private func takeReader() throws(JournalError) -> Reader {
        let (idle, isClosed) = readers.withLock { ($0.idle.popLast(), $0.isClosed) }
        if let idle { return idle }
        guard !isClosed else { throw .unknown("the journal is closed") }
        do throws(SQLiteFailure) {
            return try Reader(databasePath)
        } catch {
            throw error.journalError
        }
    }

    private func giveBack(_ reader: Reader) {
        readers.withLock { readers in
            guard !readers.isClosed, readers.idle.count < Self.readersKept else { return }
            readers.idle.append(reader)
        }
    }
}
