import Glibc
import StoreCore
import StoreJournalSQLite
import StorePlatform

/// The storage of a store's history: memory, or files for some seeds.
struct Disk {
    private(set) var journal: SimulatedJournal
    private let directory: String?
    /// Makes the sealer of personal values with the keys in a directory; `nil` if there are none.
    private let makeSealer: (_ directory: String) throws -> RecordSealer?
    private var inner: any Journal

    init(
        seed: UInt64,
        makeSealer: @escaping (_ directory: String) throws -> RecordSealer?
    ) throws {
        directory = seed % 8 == 7 ? "/tmp/simulator-\(getpid())-\(seed)" : nil
        self.makeSealer = makeSealer
        inner = try Self.open(directory, makeSealer)
        journal = SimulatedJournal(inner)
    }

    /// True if the history is in files.
    var hasFiles: Bool { directory != nil }

    private static func open(
        _ directory: String?,
        _ makeSealer: (_ directory: String) throws -> RecordSealer?
    ) throws -> any Journal {
        guard let directory else {
            return MemoryJournal(retention: Retention(bytesMax: nil, snapshotsMax: 4))
        }
        return try SQLiteJournal(
            directory: directory,
            retention: .forever,
            keyClock: nil,
            acceptDataLoss: false,
            follower: nil,
            sealer: try makeSealer(directory),
            log: { _ in }
        )
    }

    /// Cuts the store off from its journal, and opens the journal again.
    mutating func open() throws {
        journal.fail(.lost)
        if let directory {
            try search()
            (inner as? SQLiteJournal)?.close()
            inner = try Self.open(directory, makeSealer)
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

    /// Throws if a file has the plain form of a personal text.
    private func search() throws {
        for path in paths {
            guard let bytes = FileReader.read(path, bytesMax: .max) else { continue }
            guard bytes.firstRange(of: Array(Words.personal.utf8)) == nil else {
                throw Violation(.personal, "\(path) has a personal text")
            }
        }
    }

    /// The files of the history.
    private var paths: [String] {
        guard let directory, let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        var paths: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            paths.append(directory + "/" + name)
        }
        return paths
    }

    func remove() {
        guard let directory else { return }
        (inner as? SQLiteJournal)?.close()
        for path in paths { unlink(path) }
        rmdir(directory)
    }
}
