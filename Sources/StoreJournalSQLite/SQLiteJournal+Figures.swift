import CStoreSQLite
import Glibc
package import StoreCore
import StorePlatform

extension SQLiteJournal: MeasuredJournal {
    /// The sizes of the database and of its write-ahead log, and the durations of the syncs.
    package var figures: JournalFigures {
        JournalFigures(
            files: [
                ("database", Self.bytes(of: databasePath)),
                ("log", Self.bytes(of: databasePath + "-wal")),
            ],
            syncs: syncs.distribution
        )
    }

    /// The version of the loaded SQLite library.
    package static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    /// Returns the size of a file; 0 if there is no such file.
    private static func bytes(of path: String) -> UInt64 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt64(clamping: status.st_size) : 0
    }
}
