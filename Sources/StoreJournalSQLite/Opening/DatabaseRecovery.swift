import Glibc
import StoreCore
import StorePlatform

/// The recovery of a damaged database: copies the intact rows to a new database, and leaves the old
/// database unchanged. A write to a damaged B-tree would make the damage worse.
struct DatabaseRecovery {
    private let opening: JournalOpening
    private let check: DatabaseCheck
    private let directory: JournalDirectory
    private let newEpoch: UInt32

    init(_ opening: JournalOpening, _ check: DatabaseCheck) {
        self.opening = opening
        self.check = check
        directory = opening.directory
        newEpoch = JournalOpening.randomEpoch(otherThan: check.contents.meta.epoch)
    }

    /// Copies the intact rows, saves the old files in a folder, and replaces the old database with
    /// the new database.
    func run(
        _ reader: consuming Reader,
        _ connection: consuming Connection
    ) throws(JournalOpenError) -> (Connection, DatabaseSummary) {
        let path = directory.path + "/rebuilt.db"
        for file in [path, path + "-wal", path + "-shm"] { unlink(file) }
        try copy(reader, to: path)
        connection.keepWALOnClose()
        _ = consume reader
        _ = consume connection
        let kept = try keepOldFiles()
        // Delete the old write-ahead log first: SQLite would apply that log to the new database.
        unlink(directory.databasePath + "-wal")
        unlink(directory.databasePath + "-shm")
        guard rename(path, directory.databasePath) == 0 else { throw failure("renaming \(path)") }
        try directory.sync()
        opening.log("the old files are kept in \(kept)")
        return try reopen()
    }

    private func copy(_ reader: Reader, to path: String) throws(JournalOpenError) {
        let contents = initialContents(reader)
        let connection = try opening.makeDatabase(path, contents.meta)
        let writer = try opening.translatingErrors { () throws(DatabaseFailure) in
            try Writer(connection, contents)
        }
        do throws(JournalError) {
            try copyPrograms(reader, to: writer)
            try copyRecords(reader, to: writer)
            try copyOutcomes(reader, to: writer)
            try copySnapshots(reader, to: writer)
        } catch {
            throw failure("copying the intact part to \(path) (\(error))")
        }
        if let notice = writer.checkpointAll() { throw failure(notice) }
    }

    /// Returns the contents with which the copy begins. Records before the snapshot are copied,
    /// too, if all of them are intact.
    private func initialContents(_ reader: Reader) -> DatabaseSummary {
        var meta = check.contents.meta
        meta.epoch = newEpoch
        let all = try? reader.withTransaction { (reader) throws(DatabaseFailure) in
            var rows = try RecordRows(
                reader,
                after: meta.base.version,
                from: meta.base.hash,
                throughVersion: check.startPosition.version
            )
            var form = CanonicalBytes()
            while try rows.appendNext(to: &form) != nil { form.clear() }
            return rows.currentPosition
        }
        if all != check.startPosition { meta.base = check.startPosition }
        return DatabaseSummary(meta)
    }

    /// Copies the readable programs. Records of a lost program are read like records without a
    /// program.
    private func copyPrograms(_ reader: Reader, to writer: Writer) throws(JournalError) {
        let programs = (try? reader.checkedPrograms().intact) ?? []
        try writer.withTransaction { (writer) throws(DatabaseFailure) in
            for program in programs { try writer.insert(program) }
        }
    }

    private func copyRecords(_ reader: Reader, to writer: Writer) throws(JournalError) {
        let last = check.contents.end.version
        while writer.contents.end.version < last {
            let page = JournalPageRequest(after: writer.contents.end.version, limit: 1_000)
            let read: JournalRecords
            do throws(DatabaseFailure) {
                read = try reader.read(page, newest: last)
            } catch {
                throw error.journalReadError
            }
            try writer.write(JournalBatch(records: read.records))
            _ = writer.checkpointIfDue()
        }
    }

    private func copyOutcomes(_ reader: Reader, to writer: Writer) throws(JournalError) {
        var outcomes: [KeptOutcome] = []
        // Copy as many outcomes as possible. The only harm of a lost outcome is that its key can be
        // used again.
        _ = try? reader.forEachIntactOutcome { outcome in
            if outcome.lastVersion <= writer.contents.end.version { outcomes.append(outcome) }
            return true
        }
        var rest = outcomes[...]
        while !rest.isEmpty {
            try writer.write(JournalBatch(outcomes: Array(rest.prefix(1_000))))
            rest = rest.dropFirst(1_000)
        }
    }

    private func copySnapshots(_ reader: Reader, to writer: Writer) throws(JournalError) {
        var versions = (try? reader.snapshotEntries().map(\.version)) ?? []
        if let newest = check.snapshot {
            versions = versions.filter { $0 < newest.position.version } + [newest.position.version]
        }
        for version in versions
        where writer.contents.meta.base.version...writer.contents.end.version ~= version {
            var snapshot = check.snapshot
            if version != snapshot?.position.version {
                snapshot = try? reader.newestSnapshot(atOrBefore: version) { _ in }
            }
            guard let snapshot, snapshot.position.version == version else { continue }
            try writer.withTransaction { (writer) throws(DatabaseFailure) in
                try snapshot.insert(into: writer.connection)
            }
        }
    }

    private func keepOldFiles() throws(JournalOpenError) -> String {
        let digits = String(newEpoch, radix: 16)
        let folder =
            "\(directory.path)/before-" + String(repeating: "0", count: 8 - digits.count) + digits
        guard mkdir(folder, 0o700) == 0 else { throw failure("making \(folder)") }
        for name in ["store.db", "store.db-wal", "mark"] {
            let file = "\(directory.path)/\(name)"
            guard link(file, "\(folder)/\(name)") == 0 || errno == ENOENT else {
                throw failure("keeping \(file) in \(folder)")
            }
        }
        guard JournalDirectory.sync(folder) else { throw failure("syncing \(folder)") }
        return folder
    }

    private func reopen() throws(JournalOpenError) -> (Connection, DatabaseSummary) {
        let connection = try opening.translatingErrors { () throws(DatabaseFailure) in
            let connection = try Connection(path: directory.databasePath, for: .write)
            try opening.configure(connection)
            return connection
        }
        let reader = try opening.translatingErrors { () throws(DatabaseFailure) in
            try Reader(directory.databasePath)
        }
        let found = try opening.checkDatabase(reader, nil)
        guard found.damage == nil else { throw failure("reading the rebuilt journal") }
        return (connection, found.contents)
    }

    private func failure(_ attempted: String) -> JournalOpenError {
        JournalOpenError(
            .system,
            "rebuilding the journal in \(directory.path) failed: \(attempted):"
                + " \(SystemError.text)",
            hint: "check the free space and the permissions of that directory; the old files "
                + "are unchanged"
        )
    }
}
