import Glibc
import JournalSQLite
import StoreCore
import Testing

/// The journals that must behave alike.
enum JournalKind: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }
}

/// An empty journal, with its directory where it has one.
final class Subject {
    let journal: any Journal
    private let directory: String?

    init(_ kind: JournalKind, _ retention: Retention = .forever) throws {
        switch kind {
        case .memory:
            directory = nil
            journal = MemoryJournal(retention: retention)
        case .sqlite:
            let path = try temporaryDirectory()
            directory = path
            journal = try SQLiteJournal(directory: path, retention: retention) { _ in }
        }
    }

    deinit {
        (journal as? SQLiteJournal)?.close()
        guard let directory else { return }
        for name in ["store.db", "store.db-wal", "store.db-shm", "mark", "lock"] {
            unlink(directory + "/" + name)
        }
        rmdir(directory)
    }
}

/// The system did not do what a test needs.
struct SystemFailure: Error {
    let code = errno
}

func temporaryDirectory() throws -> String {
    var path = Array("/tmp/journal-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemFailure() }
    return path.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
}
