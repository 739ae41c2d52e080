import CStoreSQLite
import Glibc
import StoreCore

/// An error of SQLite. It never leaves this target.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code (sqlite.org/rescode.html).
    let code: CInt
    /// The system's error number behind it, 0 where there is none.
    let systemError: CInt
    /// What was attempted.
    let attempted: String
    /// SQLite's own words.
    let message: String

    /// The primary result code: its low eight bits.
    var kind: CInt { code & 0xFF }

    /// Whether the disk, or what this user may take of it, is full, and a write met that.
    ///
    /// A sync that fails is never such a case, whatever its reason: what it left on the disk is not
    /// known.
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

    /// Whether what the file holds is not what a database holds.
    var isCorrupt: Bool { kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB }

    /// The same for those above the port.
    var journalError: JournalError {
        isCorrupt ? .corrupt(description) : .unknown(description)
    }

    var description: String {
        let system = systemError == 0 ? "" : ", system error \(systemError)"
        return "\(attempted): \(message) (SQLite \(code)\(system))"
    }
}
