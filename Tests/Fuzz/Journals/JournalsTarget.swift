import Glibc
import StoreCore

@testable import StoreJournalSQLite

/// The files of a journal. The first byte chooses the use of the other bytes: as one of the files,
/// or as edits of rows in the tables.
///
/// A journal is refused with the reason, or returns the written records.
struct JournalsTarget: FuzzTarget {
    private static let files = ["store.db", "store.db-wal", "mark"]

    private let folder: String
    /// The files of a journal whose server was killed, by their names.
    private let killed: [String: [UInt8]]
    /// The files of a journal whose server has stopped.
    private let stopped: [String: [UInt8]]
    /// The records in both journals.
    private var written: [StoreCore.Record] = []
    private var snapshots: [UInt64: StateSnapshot] = [:]

    init() {
        guard let given = variable("FUZZ_FOLDER") else { fatalError("FUZZ_FOLDER is not set.") }
        var template = Array("/dev/shm/fuzz-journal-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { fatalError("No folder can be made.") }
        folder = String(cString: made)
        let folder = folder
        func files(of name: String) -> [String: [UInt8]] {
            Self.files.reduce(into: [:]) { files, file in
                files[file] = FileBytes.read("\(given)/Journals/\(name)/\(file)")
            }
        }
        killed = files(of: "killed")
        stopped = files(of: "stopped")
        for files in [killed, stopped] {
            FileBytes.replace(files, in: folder, Self.files)
            guard let journal = try? open(), let records = try? Self.records(of: journal) else {
                fatalError("The journal can't be read.")
            }
            hold(!records.isEmpty && records.count == Int(journal.version), "All is there.")
            hold(written.isEmpty || written == records, "Both journals have the same records.")
            written = records
            for version in 0...journal.version {
                guard let snapshot = try? journal.snapshot(atOrBefore: version) else { continue }
                snapshots[snapshot.version] = snapshot
            }
            journal.close()
        }
        hold(!snapshots.isEmpty, "There is a snapshot.")
    }

    func run(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let content = Array(bytes.dropFirst())
        // `@` to `C` choose the file. A small letter also accepts the loss of damaged records.
        let acceptsLoss = first & 0x20 != 0
        let choice = Int(first & 0x03)
        if choice < Self.files.count {
            var files = killed
            files[Self.files[choice]] = content
            FileBytes.replace(files, in: folder, Self.files)
        } else {
            FileBytes.replace(stopped, in: folder, Self.files)
            RowEdits(content).apply(to: folder + "/store.db")
        }
        do throws(JournalOpenError) {
            let journal = try open(acceptsLoss)
            check(journal)
            journal.close()
            if acceptsLoss { reopen() }
        } catch {
            hold(!error.message.isEmpty && !error.hint.isEmpty, "A refusal has words.")
            hold(error.reason != .inUse, "The lock was let go: \(error)")
        }
    }

    private func open(
        _ acceptsLoss: Bool = false
    ) throws(JournalOpenError) -> SQLiteJournal {
        try SQLiteJournal(
            directory: folder,
            retention: .forever,
            acceptDataLoss: acceptsLoss,
            log: { _ in }
        )
    }

    /// Verifies that each record that can be read is the record written at its version. An
    /// unreadable record must be an error.
    private func check(_ journal: SQLiteJournal) {
        var after = journal.oldestVersion - 1
        while after < journal.version {
            let page = JournalPageRequest(after: after, limit: 7)
            guard let read = try? journal.read(page), read.through > after else { break }
            for record in read.records {
                hold(
                    record.version <= UInt64(written.count)
                        && record == written[Int(record.version) - 1],
                    "This was not written: \(record)"
                )
            }
            after = read.through
        }
        if let snapshot = try? journal.snapshot(atOrBefore: .max) {
            let known = snapshots[snapshot.version]
            hold(
                known?.state == snapshot.state && known?.formID == snapshot.formID,
                "This was not saved: \(snapshot.state.text)"
            )
        }
        for key in ["fuzz-3", "fuzz-21", ""] {
            guard let outcome = try? journal.outcome(of: IdempotencyKey(key: key)) else { continue }
            hold(outcome.key.key == key, "An outcome is that of its key.")
        }
        if let report = try? journal.verifyAll() {
            hold(report.recordsCount <= UInt64(written.count), "Records were made up.")
        }
    }

    /// Verifies that the rest after a loss still works as a journal.
    private func reopen() {
        do throws(JournalOpenError) {
            let journal = try open()
            check(journal)
            append(to: journal)
            journal.close()
        } catch {
            hold(error.reason != .damaged, "The rest is damaged: \(error)")
        }
    }

    private func append(to journal: SQLiteJournal) {
        let version = journal.version + 1
        let record = StoreCore.Record(
            version: version,
            time: 1,
            type: "appended",
            payload: Array("{}".utf8),
            changed: true
        )
        guard (try? journal.append(JournalBatch(records: [record]), at: version - 1)) != nil
        else { return }
        let page = JournalPageRequest(after: version - 1, limit: 1)
        hold((try? journal.read(page))?.records == [record], "The appended record is read.")
    }

    private static func records(
        of journal: SQLiteJournal
    ) throws(JournalError) -> [StoreCore.Record] {
        try journal.read(JournalPageRequest(after: 0, limit: .max, bytesMax: .max)).records
    }
}

/// Reads and writes files as bytes.
enum FileBytes {
    static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = fread(&block, 1, block.count, file), count > 0 {
            bytes += block[..<count]
        }
        return bytes
    }

    /// Puts these files into a folder, and removes the other files of those names.
    static func replace(_ files: [String: [UInt8]], in folder: String, _ names: [String]) {
        unlink(folder + "/store.db-shm")
        for name in names {
            let path = folder + "/" + name
            unlink(path)
            guard let bytes = files[name] else { continue }
            guard let file = fopen(path, "w"),
                fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0
            else { fatalError("\(path) can't be written.") }
        }
    }
}
