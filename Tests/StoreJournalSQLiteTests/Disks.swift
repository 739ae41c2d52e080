import Glibc
import StoreCore

@testable import StoreJournalSQLite

/// A directory to which no user can write, not even root.
final class ReadOnlyDirectory {
    let path: String
    /// A part of the refusal's text.
    let expected: String
    private let folder: Folder
    private let isMounted: Bool

    init() throws {
        folder = try Folder()
        if mount("none", folder.path, "tmpfs", UInt(MS_RDONLY), "size=64k") == 0 {
            (path, expected, isMounted) = (folder.path, "read-only", true)
        } else if geteuid() != 0 {
            chmod(folder.path, 0o500)
            (path, expected, isMounted) = (folder.path, "chown \(geteuid())", false)
        } else {
            // No process can make files here, not even a process of root that may not mount.
            (path, expected, isMounted) = ("/proc/self", "opening the lock", false)
        }
    }

    deinit {
        if isMounted { umount2(folder.path, CInt(MNT_DETACH)) }
        chmod(folder.path, 0o700)
    }
}

/// A small disk: a file system of its own if the test may mount one, or a bound on the database.
final class SmallDisk {
    let folder: Folder
    private let isMounted: Bool
    private static let filler = "filler"

    init() throws {
        folder = try Folder()
        isMounted = mount("none", folder.path, "tmpfs", 0, "size=4m") == 0
        if isMounted { try folder.write([UInt8](repeating: 1, count: 1 << 20), to: Self.filler) }
    }

    deinit {
        if isMounted { umount2(folder.path, CInt(MNT_DETACH)) }
    }

    /// Bounds a journal that was opened in the folder if the disk itself is not small.
    func bound(_ journal: SQLiteJournal) throws {
        if !isMounted { try setPagesMax(600, of: journal) }
    }

    /// Makes room.
    func free(_ journal: SQLiteJournal) throws {
        if isMounted {
            unlink("\(folder.path)/\(Self.filler)")
        } else {
            try setPagesMax(1_000_000, of: journal)
        }
    }

    private func setPagesMax(_ count: Int, of journal: SQLiteJournal) throws {
        _ = try journal.withWriter { (writer, _) throws(JournalError) in
            try writer.withTransaction { (writer) throws(DatabaseFailure) in
                _ = try writer.connection.queryInteger("PRAGMA max_page_count = \(count)")
            }
        }
    }
}
