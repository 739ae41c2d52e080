import Glibc
import StoreCore
import StoreJournalSQLite
import StoreTesting
import Testing

/// The journals that must behave alike.
enum JournalKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, shared, sqlite, faulty

    var testDescription: String { rawValue }
}

/// An empty journal, with its directory if it has one.
final class Subject {
    let journal: any Journal
    private let directory: String?

    init(_ kind: JournalKind, _ retention: Retention = .forever) throws {
        switch kind {
        case .memory:
            directory = nil
            journal = MemoryJournal(retention: retention)
        case .shared:
            directory = nil
            journal = SharedMemoryJournal(retention: retention)
        case .faulty:
            directory = nil
            journal = FaultyJournal()
        case .sqlite:
            let path = try temporaryDirectory()
            directory = path
            journal = try SQLiteJournal(directory: path, retention: retention) { _ in }
        }
    }

    deinit {
        (journal as? SQLiteJournal)?.close()
        if let directory { removeDirectory(directory) }
    }
}

/// Removes the directory of a journal.
func removeDirectory(_ path: String) {
    for name in ["store.db", "store.db-wal", "store.db-shm", "mark", "lock"] {
        unlink(path + "/" + name)
    }
    rmdir(path)
}

/// The error of a system call that a test needs.
struct SystemFailure: Error {
    let code = errno
}

func temporaryDirectory() throws -> String {
    // The directory is in memory if possible: thousands of syncs then wait for no disk.
    let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var path = Array("\(root)/journal-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemFailure() }
    return path.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
}
