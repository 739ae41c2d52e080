import CStoreSQLite
import Glibc
import StoreCore

/// The opening of a journal in a directory: checks the directory's files, and recovers or makes the
/// database.
struct JournalOpening {
    let directory: JournalDirectory
    let acceptsDataLoss: Bool
    /// True if a file of an older form stays unchanged. Such a file can only be read.
    let keepsOlderFormat: Bool
    /// An object that makes the state from the checked records; `nil` if no state is needed.
    let follower: (any HistoryFollower)?
    let log: @Sendable (String) -> Void

    func open() throws(JournalOpenError) -> (Writer, MarkFile) {
        guard sqlite3_threadsafe() != 0 else {
            throw JournalOpenError(
                .system,
                "this SQLite library was built for one thread only",
                hint: "install a library built with SQLITE_THREADSAFE=1, such as Debian's"
            )
        }
        let mark = MarkFile.read(directory.markPath)
        let (connection, contents) = try openDatabase(mark)
        return try startWriting(connection, contents, after: mark)
    }

    /// Runs `body`, and turns an error of SQLite into an error for the operator.
    func translatingErrors<Result>(
        _ body: () throws(DatabaseFailure) -> Result
    ) throws(JournalOpenError) -> Result {
        do throws(DatabaseFailure) {
            return try body()
        } catch {
            guard case .sqlite(let failure) = error, !failure.isCorrupt else {
                throw damageError("\(error)")
            }
            throw JournalOpenError(
                .system,
                "opening the journal in \(directory.path) failed: \(error)",
                hint: "check the disk and the rights on the files; nothing was changed"
            )
        }
    }

    private func damageError(_ what: String) -> JournalOpenError {
        JournalOpenError(
            .damaged,
            "the journal in \(directory.path) is damaged: \(what)",
            hint: "nothing can be kept of it, not even with --accept-data-loss: restore a backup,"
                + " or move the directory away to begin anew"
        )
    }

    /// Logs a loss of data and its result, or throws if the operator does not accept the loss.
    private func acceptLoss(
        _ loss: String,
        keeping kept: String,
        _ result: String
    ) throws(JournalOpenError) {
        guard acceptsDataLoss else {
            throw JournalOpenError(
                .damaged,
                "the journal in \(directory.path) is damaged: \(loss)",
                hint:
                    "restore a backup, or start with --accept-data-loss to \(kept), under a new "
                    + "epoch"
            )
        }
        log("data loss accepted: \(loss); \(result)")
    }
}

extension JournalOpening {
    private func openDatabase(
        _ found: MarkFile.ReadResult
    ) throws(JournalOpenError) -> (Connection, DatabaseSummary) {
        if (directory.size(of: directory.databasePath) ?? 0) == 0 {
            try checkNoEarlierDatabase(found)
            return try makeNewDatabase()
        }
        let connection = try translatingErrors { () throws(DatabaseFailure) in
            try Connection(path: directory.databasePath, for: .write)
        }
        if try isDatabaseUnfinished(connection, found) { return try makeNewDatabase() }
        try translatingErrors { () throws(DatabaseFailure) in try configure(connection) }
        let reader = try translatingErrors { () throws(DatabaseFailure) in
            try Reader(directory.databasePath)
        }
        var check = try self.checkDatabase(reader, found.mark, follower)
        if found == .unreadable { check.noteDamage("the mark beside the database can't be read") }
        if let damage = check.damage {
            follower?.discardResult()
            let end = "version \(check.contents.end.version)"
            let kept = "keep the intact part, up to \(end)"
            try acceptLoss(damage, keeping: kept, "history ends at \(end) and takes a new epoch")
            guard check.isDatabaseSound else {
                return try DatabaseRecovery(self, check).run(consume reader, consume connection)
            }
        }
        try upgradeSchema(&check.contents, of: connection)
        if check.damage == nil, found == .noFile {
            log(
                "there is no mark in \(directory.path), so the server can't detect whether records "
                    + "after version \(check.contents.end.version) are missing; history takes a "
                    + "new epoch"
            )
        }
        if check.damage != nil || found == .noFile {
            try takeNewEpoch(&check.contents, in: connection)
        }
        return (connection, check.contents)
    }

    func checkDatabase(
        _ reader: Reader,
        _ mark: HighWaterMark?,
        _ follower: (any HistoryFollower)? = nil
    ) throws(JournalOpenError) -> DatabaseCheck {
        try translatingErrors { () throws(DatabaseFailure) in
            try DatabaseCheck(of: reader, mark: mark, follower: follower, log: log)
        }
    }

    /// Checks that no database was made in the directory yet. If the mark shows an earlier
    /// database, the operator must accept the loss of data.
    private func checkNoEarlierDatabase(_ found: MarkFile.ReadResult) throws(JournalOpenError) {
        if found == .noFile { return }
        let reached = found.mark?.end.version
        if reached == 0 { return }
        let known =
            reached.map { "its history had reached version \($0)" }
            ?? "its history was not empty"
        let loss = "the database is missing or empty, although \(known)"
        try acceptLoss(loss, keeping: "begin at version 0", "history begins anew")
    }

    private func makeNewDatabase() throws(JournalOpenError) -> (Connection, DatabaseSummary) {
        let meta = MetaRow(epoch: .random(in: 0...UInt32.max))
        let connection = try makeDatabase(directory.databasePath, meta)
        try directory.sync()
        return (connection, DatabaseSummary(meta))
    }

    func makeDatabase(_ path: String, _ meta: MetaRow) throws(JournalOpenError) -> Connection {
        try translatingErrors { () throws(DatabaseFailure) in
            let connection = try Connection(path: path, for: .create)
            // Set the file's mode before the write-ahead log and its index exist, because both
            // inherit the mode. On a file system without modes, the mode of the directory has to
            // suffice.
            chmod(path, 0o600)
            try configure(connection)
            try Schema.create(in: connection, meta)
            return connection
        }
    }

    private func takeNewEpoch(
        _ contents: inout DatabaseSummary,
        in connection: Connection
    ) throws(JournalOpenError) {
        contents.meta.epoch = Self.randomEpoch(otherThan: contents.meta.epoch)
        let meta = contents.meta
        try translatingErrors { () throws(DatabaseFailure) in
            try connection.execute("BEGIN IMMEDIATE")
            try meta.write(to: connection)
            try connection.execute("COMMIT")
        }
    }

    /// Upgrades an intact database of an older form, unless `keepsOlderFormat` is true.
    private func upgradeSchema(
        _ contents: inout DatabaseSummary,
        of connection: Connection
    ) throws(JournalOpenError) {
        let old = try translatingErrors { () throws(DatabaseFailure) in
            try Schema.format(of: connection)
        }
        contents.format = old
        guard old < Schema.newestFormat, !keepsOlderFormat else { return }
        do throws(DatabaseFailure) {
            try Schema.upgrade(connection, from: old)
        } catch {
            throw JournalOpenError(
                .system,
                "the journal in \(directory.path) has form \(old), and bringing it to form"
                    + " \(Schema.newestFormat) failed: \(error)",
                hint: error.isFull
                    ? "make room on the disk; nothing was changed"
                    : "check the disk and the permissions of the files"
            )
        }
        contents.format = Schema.newestFormat
        log(
            "the journal in \(directory.path) had form \(old) and has form "
                + "\(Schema.newestFormat) now,"
                + " which older servers can't read"
        )
    }

    static func randomEpoch(otherThan old: UInt32) -> UInt32 { old &+ .random(in: 1...UInt32.max) }

    private func startWriting(
        _ connection: Connection,
        _ contents: DatabaseSummary,
        after found: MarkFile.ReadResult
    ) throws(JournalOpenError) -> (Writer, MarkFile) {
        let writer = try translatingErrors { () throws(DatabaseFailure) in
            try Writer(connection, contents)
        }
        try makeDurable(writer)
        let file = MarkFile(
            directory.markPath,
            after: found.mark?.sequenceNumber,
            epoch: contents.meta.epoch,
            end: contents.end,
            onFailure: { [log] in
                log(
                    "\($0); until the mark is written again, a start may not notice a loss of "
                        + "records"
                )
            }
        )
        guard let file else {
            throw JournalOpenError(
                .system,
                "writing \(directory.markPath) failed",
                hint: "check if the disk is full or broken; nothing was changed"
            )
        }
        // The sync of a file does not make its name durable, and the name may be new.
        try directory.sync()
        return (writer, file)
    }

    /// Makes the records durable before readers see them.
    ///
    /// A killed process may have written records without a sync. This process reads these records
    /// from the page cache. Without a sync, a power cut could lose records that readers and the
    /// mark already have. So a checkpoint syncs the write-ahead log, and writes pages again if
    /// their earlier sync failed. If the disk is full, the write-ahead log is synced and stays.
    private func makeDurable(_ writer: Writer) throws(JournalOpenError) {
        guard let notice = writer.checkpointAll() else { return }
        guard writer.stopReason == nil else {
            throw JournalOpenError(
                .system,
                "making the journal in \(directory.path) durable failed: \(notice)",
                hint: "check the disk; the directory is left as it is"
            )
        }
        log(notice)
    }
}

extension JournalOpening {
    /// Checks that the file is a journal's database, before anything is changed. Returns true if
    /// the database has no tables, because the process that made the file ended too early.
    private func isDatabaseUnfinished(
        _ connection: Connection,
        _ found: MarkFile.ReadResult
    ) throws(JournalOpenError) -> Bool {
        let application, format, tables: Int64
        do throws(DatabaseFailure) {
            application = try connection.queryInteger("PRAGMA application_id") ?? 0
            format = try Schema.format(of: connection)
            tables = try connection.queryInteger("SELECT count(*) FROM sqlite_master") ?? 0
        } catch {
            if case .sqlite(let failure) = error, failure.primaryCode == SQLITE_NOTADB {
                throw foreignFileError("is no SQLite database")
            }
            return try translatingErrors { () throws(DatabaseFailure) in throw error }
        }
        if application == 0, format == 0, tables == 0, found == .noFile { return true }
        guard application == Schema.applicationID else {
            throw foreignFileError("is a database of another program")
        }
        guard Schema.readableFormats.contains(format) else {
            throw foreignFileError(
                "has form \(format), and this server reads only forms "
                    + "\(Schema.readableFormats.lowerBound) to \(Schema.readableFormats.upperBound)"
            )
        }
        let isIntact = try translatingErrors { () throws(DatabaseFailure) -> Bool in
            guard try connection.queryText("PRAGMA encoding") == "UTF-8" else { return false }
            return try Schema.isIntact(in: connection, format: format)
        }
        guard isIntact else { throw damageError("its tables are not those of a journal") }
        return false
    }

    private func foreignFileError(_ what: String) -> JournalOpenError {
        JournalOpenError(
            .foreign,
            "\(directory.databasePath) \(what), so it is left alone",
            hint: "move it away, or give another directory with --data"
        )
    }

    /// Sets the pragmas for durability, and checks that SQLite accepted them.
    func configure(_ connection: Connection) throws(DatabaseFailure) {
        let mode = try connection.queryText("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = FULL")
        let synchronous = try connection.queryInteger("PRAGMA synchronous")
        guard mode == "wal", synchronous == 2 else {
            throw .sqlite(
                SQLiteFailure(
                    code: SQLITE_ERROR,
                    systemError: 0,
                    attemptedOperation: "asking for a synced write-ahead log",
                    message: "journal_mode is \(mode), synchronous is \(synchronous ?? -1)"
                )
            )
        }
        // The writer makes the checkpoints, because SQLite does not report the error of a
        // checkpoint that runs within a commit.
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("PRAGMA journal_size_limit = \(Writer.walSizeLimitBytes)")
    }
}
