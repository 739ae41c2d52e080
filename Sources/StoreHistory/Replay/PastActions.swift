package import ActionCatalog
import Platform
package import StoreCore
import Synchronization

/// Actions of a journal, with the sessions that they came from: for effects that go on after a
/// restart.
package final class PastActions: Sendable {
    private let journal: any Journal
    private let registry: ActionTable
    private let migrations: [Migration]
    /// The sessions of the versions that were looked at.
    private let sessions = Locked<[UInt64: [String]]>([:])

    package init(
        _ journal: any Journal,
        _ registry: ActionTable,
        _ migrations: [Migration]
    ) {
        self.journal = journal
        self.registry = registry
        self.migrations = migrations
    }

    /// The action of a version; `nil` where history no longer reaches back.
    package func action(of version: UInt64) -> PastAction? {
        guard let record = record(version) else { return nil }
        var reader = RecordReader(registry, migrations)
        return PastAction(try? reader.action(of: record), from: sessions(of: record))
    }

    /// A client's record names its session. What the program dispatched has the sessions of its
    /// cause.
    private func sessions(of record: Record) -> [String] {
        var record = record
        var path: [UInt64] = []
        var found: [String]?
        while found == nil {
            path.append(record.version)
            if let known = sessions.withLock({ $0[record.version] }) {
                found = known
            } else if let session = record.origin.flatMap(ClientOrigin.session(in:)) {
                found = [session]
            } else if let cause = record.cause, cause < record.version,
                let next = self.record(cause)
            {
                record = next
            } else {
                found = []
            }
        }
        let names = found ?? []
        sessions.withLock { sessions in
            for version in path { sessions[version] = names }
        }
        return names
    }

    private func record(_ version: UInt64) -> Record? {
        guard version > 0 else { return nil }
        let page = JournalPage(after: version - 1, limit: 1, bytesMax: .max)
        return try? journal.read(page).records.first { $0.version == version }
    }
}
