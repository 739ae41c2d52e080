import CStoreSQLite
import Glibc
public import StoreCore
import StorePlatform

extension SQLiteJournal {
    /// Copies the database as it is at this moment into a file of its own, while appends go on.
    ///
    /// The copy is synced, and has its name only when it is whole. To go back to it, put it into an
    /// empty directory as `store.db`: history then gets a new epoch, because the records after the
    /// copy are unknown. Any thread may call this. While it runs the write-ahead log grows by what
    /// is appended.
    ///
    /// - Parameter path: must not exist.
    /// - Throws: ``JournalError/storageFull`` where there is no room; ``JournalError/unknown(_:)``
    ///   for whatever else stands in the way, in words.
    public func backup(to path: String) throws(JournalError) {
        try Self.copy(to: path) { (partial) throws(JournalError) in
            try withReader { (reader) throws(ReadFailure) in
                do throws(SQLiteFailure) {
                    try reader.connection.copyAll(to: partial)
                } catch {
                    throw .sqlite(error)
                }
            }
        }
    }

    /// Copies the database of a directory that another process has open; see ``backup(to:)``.
    ///
    /// Only reads: the process that has it keeps writing and checkpointing alone.
    public static func backup(
        inUse directory: String,
        to path: String
    ) throws(JournalError) {
        try copy(to: path) { (partial) throws(JournalError) in
            do throws(SQLiteFailure) {
                try Connection(path: directory + "/store.db", for: .read).copyAll(to: partial)
            } catch {
                throw .unknown("\(error)")
            }
        }
    }

    /// Whether the directory holds a history.
    public static func exists(in directory: String) -> Bool {
        access(directory + "/store.db", F_OK) == 0
    }

    private static func copy(
        to path: String,
        by copy: (String) throws(JournalError) -> Void
    ) throws(JournalError) {
        let partial = "\(path).partial-\(getpid())"
        // O_EXCL: a file that another process has there is not written over.
        let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.backupFailure("making", partial) }
        Glibc.close(descriptor)
        defer { unlink(partial) }
        try copy(partial)
        try Self.sync(partial)
        // Unlike a rename, a link never takes the place of what is there.
        guard link(partial, path) == 0 else { throw Self.backupFailure("making", path) }
        guard JournalDirectory.sync(Self.parent(of: path)) else {
            throw Self.backupFailure("syncing the directory of", path)
        }
    }

    private static func sync(_ path: String) throws(JournalError) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw backupFailure("opening", path) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw backupFailure("syncing", path) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func backupFailure(_ attempted: String, _ path: String) -> JournalError {
        if errno == ENOSPC || errno == EDQUOT { return .storageFull }
        return .unknown("\(attempted) \(path) failed: \(SystemError.text)")
    }
}

extension Connection {
    /// Copies every page as of one moment, in one read transaction.
    fileprivate func copyAll(to path: String) throws(SQLiteFailure) {
        let target = try Connection(path: path, for: .write)
        try target.execute("PRAGMA journal_mode = MEMORY")
        try target.execute("PRAGMA synchronous = OFF")
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(sqlite3_extended_errcode(target.handle), "beginning the copy")
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw target.failure(code, "copying to \(path)") }
        // The copy's header is that of a database in WAL mode; the copy needs no write-ahead log.
        try target.execute("PRAGMA journal_mode = DELETE")
    }
}
