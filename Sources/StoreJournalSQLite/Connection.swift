import CStoreSQLite
import Glibc
import StoreCore

/// A connection to a database. The connection closes after its last statement is released.
///
/// Safety: the connection has no mutex of SQLite. Only the thread with the journal's write lock
/// uses the writer's connection. Only the thread that took a reader out of the pool uses the
/// reader's connection.
final class Connection: @unchecked Sendable {
    enum Purpose {
        case read
        /// Reads an existing file and writes to it.
        case write
        /// Reads and writes, and makes the file if it does not exist.
        case create
    }

    let handle: OpaquePointer

    /// The longest wait for a lock, in milliseconds. A reader takes the writer's lock for a moment
    /// if the index of the write-ahead log has an unfinished change. So even the writer may wait.
    private static let lockWaitMillisecondsMax: CInt = 10_000

    init(path: String, for purpose: Purpose) throws(DatabaseFailure) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        switch purpose {
        case .read: flags |= SQLITE_OPEN_READONLY
        case .write: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let failure = SQLiteFailure(
                code: code,
                systemError: sqlite3_system_errno(opened),
                attemptedOperation: "opening \(path)",
                message: String(cString: sqlite3_errstr(code))
            )
            sqlite3_close_v2(opened)
            throw .sqlite(failure)
        }
        handle = opened
        sqlite3_busy_timeout(handle, Self.lockWaitMillisecondsMax)
        // The database may be damaged. So its schema may call no function, SQLite checks cells
        // before use, and no statement writes to SQLite's own tables.
        csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        csqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        try execute("PRAGMA cell_size_check = ON")
        // Temporary tables stay in memory, because a container may have no writable directory for
        // them.
        try execute("PRAGMA temp_store = MEMORY")
        if purpose == .read {
            // A reader never writes and never checkpoints, even if its connection is the last to
            // close.
            csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            try execute("PRAGMA query_only = ON")
        }
    }

    deinit { sqlite3_close_v2(handle) }

    func keepWALOnClose() { csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

    /// Runs `body` without waiting for locks: if another connection has a lock, SQLite reports an
    /// error at once.
    func withoutWaiting<Result>(_ body: () -> Result) -> Result {
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Self.lockWaitMillisecondsMax) }
        return body()
    }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func execute(_ sql: String) throws(DatabaseFailure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// Returns the first column of the first row, as an integer; `nil` if there is no row.
    func queryInteger(_ sql: String) throws(DatabaseFailure) -> Int64? {
        let statement = try Statement(self, sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Returns the first column of the first row, as text; empty if there is no row.
    func queryText(_ sql: String) throws(DatabaseFailure) -> String {
        let statement = try Statement(self, sql)
        return try statement.step() ? statement.string(0) : ""
    }

    func failure(_ code: CInt, _ attempted: String) -> DatabaseFailure {
        let isOfSystem = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_FULL
        let failure = SQLiteFailure(
            code: code,
            systemError: isOfSystem ? sqlite3_system_errno(handle) : 0,
            attemptedOperation: attempted,
            message: String(cString: sqlite3_errmsg(handle))
        )
        return .sqlite(failure)
    }
}

/// The reason why rows can't be read or written.
enum DatabaseFailure: Error, CustomStringConvertible {
    case sqlite(SQLiteFailure)
    /// Rows are missing, or do not match their checksums.
    case damaged(String)
    /// The records in the journal begin after this position.
    case gone(base: ChainPosition)

    /// True if a write failed because the disk is full. The write may succeed later.
    var isFull: Bool { if case .sqlite(let failure) = self { failure.isFull } else { false } }

    /// True if the file or its rows are damaged.
    var isDamage: Bool {
        switch self {
        case .sqlite(let failure): failure.isCorrupt
        case .damaged: true
        case .gone: false
        }
    }

    /// The error that a read throws to its caller.
    var journalReadError: JournalError {
        if case .gone(let base) = self { return .gone(oldest: base.version + 1) }
        // Only the read of a backup can fill the disk, because a backup writes a copy.
        return isFull ? .storageFull : nonRetryableError
    }

    /// The error for a caller that can't try again. Even a full disk becomes an unknown error.
    var nonRetryableError: JournalError { isDamage ? .corrupt(description) : .unknown(description) }

    var description: String {
        switch self {
        case .sqlite(let failure): failure.description
        case .damaged(let what): what
        case .gone(let base): "the records before \(base.version + 1) were forgotten"
        }
    }
}

/// An error of SQLite.
struct SQLiteFailure: CustomStringConvertible, Sendable {
    /// The extended result code (sqlite.org/rescode.html).
    let code: CInt
    /// The system's error number; 0 if there is none.
    let systemError: CInt
    /// The attempted operation, as text.
    let attemptedOperation: String
    let message: String

    /// The primary result code: the low eight bits of ``code``.
    var primaryCode: CInt { code & 0xFF }

    /// True if a write failed because the disk or the user's quota is full.
    ///
    /// False after a failed sync, even on a full disk, because the contents of the disk are then
    /// unknown.
    var isFull: Bool {
        if primaryCode == SQLITE_FULL { return true }
        let writes = [
            SQLITE_IOERR | 3 << 8,  // SQLITE_IOERR_WRITE
            SQLITE_IOERR | 18 << 8,  // SQLITE_IOERR_SHMOPEN
            SQLITE_IOERR | 19 << 8,  // SQLITE_IOERR_SHMSIZE
            SQLITE_IOERR | 21 << 8,  // SQLITE_IOERR_SHMMAP
        ]
        return (systemError == ENOSPC || systemError == EDQUOT) && writes.contains(code)
    }

    /// True if the file is not a database, or is damaged.
    var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    var description: String {
        let system = systemError == 0 ? "" : ", system error \(systemError)"
        return "\(attemptedOperation): \(message) (SQLite \(code)\(system))"
    }
}
