import CStoreSQLite
import Glibc
import StoreCore

/// An error of SQLite. Only this target uses it.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    let code: CInt
    /// The system's error number; 0 if there is none.
    let systemError: CInt
    /// The attempted operation, as text.
    let attempted: String
    /// The message of SQLite.
    let message: String

    /// The primary result code: the low eight bits of ``code``.
    var kind: CInt { code & 0xFF }

    /// True if a write failed because the disk or the user's quota is full.
    ///
    /// False for every failed sync, whatever its reason, because the contents of the disk are then
    /// unknown.
    var isFull: Bool {
        if kind == SQLITE_FULL { return true }
        let writes = [
            SQLITE_IOERR | 3 << 8,  // SQLITE_IOERR_WRITE
            SQLITE_IOERR | 18 << 8,  // SQLITE_IOERR_SHMOPEN
            SQLITE_IOERR | 19 << 8,  // SQLITE_IOERR_SHMSIZE
            SQLITE_IOERR | 21 << 8,  // SQLITE_IOERR_SHMMAP
        ]
        return (systemError == ENOSPC || systemError == EDQUOT) && writes.contains(code)
    }

    /// True if the file is not a database, or is damaged.
    var isCorrupt: Bool { kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB }

    /// The error for callers of the journal.
    var journalError: JournalError {
        isCorrupt ? .corrupt(description) : .unknown(description)
    }

    var description: String {
        let system = systemError == 0 ? "" : ", system error \(systemError)"
        return "\(attempted): \(message) (SQLite \(code)\(system))"
    }
}
