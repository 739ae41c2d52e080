import CStoreSQLite

/// One connection to a database; it closes itself when the last statement made from it is gone.
///
/// Safety: it is opened without SQLite's own mutexes. Only the thread that
/// holds the journal's write lock, or that took the reader out of the pool, uses it.
final class Connection: @unchecked Sendable {
    enum Purpose {
        /// Reads, and can't write.
        case read
        /// Reads and writes what is there.
        case write
        /// Reads and writes, and makes the file where there is none.
        case create
    }

    let handle: OpaquePointer

    /// How long a lock is waited for, in milliseconds. A reader that comes upon the index of the
    /// write-ahead log in the midst of a change takes the writer's lock for a moment.
    private static let lockMilliseconds: CInt = 10_000

    init(path: String, for purpose: Purpose) throws(SQLiteFailure) {
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
                attempted: "opening \(path)",
                message: String(cString: sqlite3_errstr(code))
            )
            sqlite3_close_v2(opened)
            throw failure
        }
        handle = opened
        sqlite3_busy_timeout(handle, Self.lockMilliseconds)
        // A database may be damaged: its schema may call no function, SQLite checks cells before it
        // uses them, and no statement writes to SQLite's own tables.
        csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        csqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        try execute("PRAGMA cell_size_check = ON")
        // Temporary tables stay in memory: a container may have no other place to write to.
        try execute("PRAGMA temp_store = MEMORY")
        if purpose == .read {
            // Readers never write and never checkpoint, not even when they are the last to close.
            csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            try execute("PRAGMA query_only = ON")
        }
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Leaves the write-ahead log (WAL) as it is when this connection closes.
    func keepWALOnClose() {
        csqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// Does something for which no lock is waited: who has one keeps it.
    func withoutWaiting<Result>(_ body: () -> Result) -> Result {
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, Self.lockMilliseconds) }
        return body()
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func execute(_ sql: String) throws(SQLiteFailure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, sql) }
    }

    /// The first column of the first row, as an integer; `nil` where there is no row.
    func integer(_ sql: String) throws(SQLiteFailure) -> Int64? {
        let statement = try Statement(self, sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row, as text; empty where there is no row.
    func text(_ sql: String) throws(SQLiteFailure) -> String {
        let statement = try Statement(self, sql)
        return try statement.step() ? statement.string(0) : ""
    }

    func failure(_ code: CInt, _ attempted: String) -> SQLiteFailure {
        SQLiteFailure(
            code: code,
            systemError: code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_FULL
                ? sqlite3_system_errno(handle) : 0,
            attempted: attempted,
            message: String(cString: sqlite3_errmsg(handle))
        )
    }
}
