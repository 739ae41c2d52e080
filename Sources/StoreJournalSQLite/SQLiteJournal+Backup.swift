import CStoreSQLite
import Glibc
public import StoreCore
import StorePlatform

extension SQLiteJournal {
    /// Copies the current contents of the database into another file, while appends continue.
    ///
    /// The copy is synced, and gets its name only when it is complete. To restore the copy, put the
    /// file into an empty directory as `store.db`. History then gets a new epoch, because the
    /// records after the copy are unknown. Any thread may call this function. During the copying,
    /// the write-ahead log grows with each append.
    ///
    /// - Parameter path: the file to make; it must not exist.
    /// - Throws: ``JournalError/storageFull`` if the file system of `path` is full.
    ///   Throws ``JournalError/corrupt(_:)`` if the database is damaged, and
    ///   ``JournalError/unknown(_:)`` with a text for any other error of SQLite or the system.
    public func backup(to path: String) throws(JournalError) {
        try Self.copy(to: path) { (partial) throws(JournalError) in
            try withReader { (reader) throws(DatabaseFailure) in
                try reader.connection.copyAll(to: partial)
            }
        }
    }

    /// Copies the database of a directory that another process has open; see ``backup(to:)``.
    ///
    /// The function only reads the database: only the other process writes and checkpoints.
    public static func backup(inUse directory: String, to path: String) throws(JournalError) {
        try copy(to: path) { (partial) throws(JournalError) in
            do throws(DatabaseFailure) {
                try Connection(path: directory + "/store.db", for: .read).copyAll(to: partial)
            } catch {
                throw error.isFull ? .storageFull : .unknown("\(error)")
            }
        }
    }

    /// Returns true if the directory has a database.
    public static func exists(in directory: String) -> Bool {
        access(directory + "/store.db", F_OK) == 0
    }

    private static func copy(
        to path: String,
        by copy: (String) throws(JournalError) -> Void
    ) throws(JournalError) {
        let partial = "\(path).partial-\(getpid())"
        // O_EXCL: never overwrite a file of another process.
        let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.backupFailure("making", partial) }
        Glibc.close(descriptor)
        defer { unlink(partial) }
        try copy(partial)
        try Self.sync(partial)
        // Unlike a rename, a link never replaces an existing file.
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
    /// Copies every page in one read transaction, so that all pages are of the same moment.
    fileprivate func copyAll(to path: String) throws(DatabaseFailure) {
        let target = try Connection(path: path, for: .write)
        try target.execute("PRAGMA journal_mode = MEMORY")
        try target.execute("PRAGMA synchronous = OFF")
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(sqlite3_extended_errcode(target.handle), "beginning the copy")
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw target.failure(code, "copying to \(path)") }
        // The copy's header is that of a database in WAL mode, but the copy needs no write-ahead
        // log.
        try target.execute("PRAGMA journal_mode = DELETE")
    }
}
