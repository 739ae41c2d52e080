import Glibc
import StoreCore
import StoreJournalSQLite

/// The storage of a store's history: memory, or files for some seeds.
struct Disk {
    private(set) var journal: SimulatedJournal
    private let directory: String?
    private var inner: any Journal

    init(seed: UInt64) throws {
        directory = seed % 8 == 7 ? "/tmp/simulator-\(getpid())-\(seed)" : nil
        inner = try Self.open(directory)
        journal = SimulatedJournal(inner)
    }

    private static func open(_ directory: String?) throws -> any Journal {
        guard let directory else {
            return MemoryJournal(retention: Retention(bytesMax: nil, snapshotsMax: 4))
        }
        return try SQLiteJournal(directory: directory, retention: .forever, log: { _ in })
    }

    /// Cuts the store off from its journal, and opens the journal again.
    mutating func open() throws {
        journal.fail(.lost)
        if let directory {
            (inner as? SQLiteJournal)?.close()
            inner = try Self.open(directory)
        }
        journal = SimulatedJournal(inner, after: journal)
    }

    /// Forgets the records before the newest snapshot, as a journal in memory may.
    mutating func forget() throws {
        guard directory == nil, let snapshot = try inner.snapshot(atOrBefore: .max),
            snapshot.version > 0
        else { return }
        let kept = MemoryJournal(version: snapshot.version)
        try kept.save(snapshot)
        // Programs come first in the order of their numbers, which they get again, and then in the
        // order of their starts.
        let programs = try inner.programs()
        for known in programs.sorted(by: { $0.number < $1.number }) + programs {
            _ = try kept.register(known.program)
        }
        let outcomes = JournalBatch(outcomes: journal.outcomes)
        try kept.append(outcomes, at: snapshot.version)
        for record in journal.records.dropFirst(Int(snapshot.version)) {
            try kept.append(JournalBatch(records: [record]), at: record.version - 1)
        }
        inner = kept
        journal = SimulatedJournal(inner, after: journal)
    }

    func remove() {
        guard let directory else { return }
        (inner as? SQLiteJournal)?.close()
        guard let entries = opendir(directory) else { return }
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            unlink(directory + "/" + name)
        }
        closedir(entries)
        rmdir(directory)
    }
}
