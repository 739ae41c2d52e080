import Glibc
import StoreCore
import StoreJournalSQLite
import StorePlatform
import StoreTestSupport
import StoreTesting
import Synchronization

extension JournalKind {
    /// The journals of this kind in the form of the conformance suite.
    var subject: JournalSubject {
        switch self {
        case .memory:
            JournalSubject(
                make: { MemoryJournal(retention: .forever) },
                makeSmall: { MemoryJournal(retention: .small) }
            )
        case .shared:
            JournalSubject(
                make: { MemoryJournal(retention: .forever) },
                another: { journal in
                    guard let journal = journal as? MemoryJournal else { throw Foreign() }
                    return journal.makeJournalOfSameHistory()
                },
                makeSmall: { MemoryJournal(retention: .small).makeJournalOfSameHistory() }
            )
        case .sqlite: Directories().subject
        case .faulty:
            JournalSubject(
                make: { FaultyJournal() },
                setFull: { journal, isFull in
                    (journal as? FaultyJournal)?.setFailure(isFull ? .storageFull : nil)
                }
            )
        }
    }
}

/// A journal that this kind has not made.
struct Foreign: Error {}

extension Retention {
    fileprivate static let small = Retention(secondsMax: nil, bytesMax: nil, recordsMax: 100)
}

/// The directories of journals on disk. The last reference removes them.
private final class Directories: Sendable {
    private let paths = Locked<[ObjectIdentifier: String]>([:])

    var subject: JournalSubject {
        JournalSubject(
            make: { try self.open(in: temporaryDirectory(), .forever) },
            reopen: { journal in
                guard let path = self.paths.withLock({ $0[ObjectIdentifier(journal)] }) else {
                    throw Foreign()
                }
                journal.close()
                return try self.open(in: path, .forever)
            },
            makeSmall: { try self.open(in: temporaryDirectory(), .small) }
        )
    }

    private func open(in path: String, _ retention: Retention) throws -> any Journal {
        let journal = try SQLiteJournal(directory: path, retention: retention) { _ in }
        paths.withLock { $0[ObjectIdentifier(journal)] = path }
        return journal
    }

    deinit {
        for path in Set(paths.withLock { $0 }.values) { removeDirectory(path) }
    }
}
