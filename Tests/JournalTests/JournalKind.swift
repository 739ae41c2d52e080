import Glibc
import StoreCore
import StoreJournalSQLite
import StoreTestSupport
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
            journal = MemoryJournal(retention: retention).makeJournalOfSameHistory()
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
