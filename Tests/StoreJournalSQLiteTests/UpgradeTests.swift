import CStoreDiskFaults
import StoreCore
import StoreJournalSQLite
import Testing

/// A file of form 1 gets today's form when it is opened for writing, and loses nothing.
@Suite(.serialized) struct UpgradeTests {
    private func records(of journal: SQLiteJournal) throws -> [Record] {
        try journal.read(JournalPageRequest(after: 0, limit: 1_000)).records
    }

    @Test(arguments: [[], [30]] as [[UInt64]])
    func `history goes on in the new form, with sessions`(snapshots: [UInt64]) throws {
        let folder = try Form1.folder(snapshots: snapshots)
        #expect(try Form1.form(of: folder).number == 1)
        let lines = Lines()
        let journal = try SQLiteJournal.open(folder, lines: lines)
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("had form 1 and has form 3 now") == true)
        let old = (1...40).map(Form1.record)
        #expect(try records(of: journal) == old)
        #expect(try journal.verifyAll().isIntact)
        let new = (41...80).map(SampleHistory.record)
        try journal.append(JournalBatch(records: new), at: 40)
        #expect(try records(of: journal) == old + new)
        #expect(new.contains { $0.session != nil } && new.contains { $0.session == nil })
        journal.close()
        let later = Lines()
        let again = try SQLiteJournal.open(folder, lines: later)
        #expect(later.all.isEmpty)
        #expect(again.epoch == journal.epoch)
        #expect(try records(of: again) == old + new)
        // A key of this age is forgotten with the next snapshot.
        let kept = snapshots.isEmpty ? SampleHistory.outcome(7) : nil
        #expect(try again.outcome(of: SampleHistory.outcome(7).key) == kept)
        let report = try again.verifyAll()
        #expect(report.isIntact)
        #expect(report.recordsCount == 80)
        again.close()
    }

    @Test func `the tables of an upgraded file equal a new file's, byte for byte`() throws {
        let folder = try Form1.folder()
        try SQLiteJournal.open(folder).close()
        let new = try Folder()
        try SQLiteJournal.open(new).close()
        let (upgraded, made) = (try Form1.form(of: folder), try Form1.form(of: new))
        #expect(upgraded.number == 3)
        #expect(made.number == 3)
        #expect(upgraded.records == made.records)
    }

    @Test func `a file that is only read keeps its form`() throws {
        let folder = try Form1.folder(snapshots: [30])
        let lines = Lines()
        let journal = try SQLiteJournal.open(folder, keepsForm: true, lines: lines)
        #expect(try records(of: journal) == (1...40).map(Form1.record))
        #expect(try journal.verifyAll().isIntact)
        try journal.backup(to: folder.path + "/copy")
        #expect(throws: JournalError.self) {
            try journal.append(JournalBatch(records: [SampleHistory.record(41)]), at: 40)
        }
        #expect(journal.version == 40)
        journal.close()
        #expect(lines.all.isEmpty)
        #expect(try Form1.form(of: folder).number == 1)
        let restored = try Folder()
        try restored.write(folder.bytes(of: "copy"), to: "store.db")
        for folder in [folder, restored] {
            let journal = try SQLiteJournal.open(folder)
            #expect(try records(of: journal) == (1...40).map(Form1.record))
            journal.close()
            #expect(try Form1.form(of: folder).number == 3)
        }
    }

    @Test func `an upgrade on a full disk is refused and changes nothing`() throws {
        let folder = try Form1.folder(snapshots: [30])
        let known = try SQLiteJournal.open(folder, keepsForm: true)
        known.close()
        disk_faults_fill(folder.path + "/store.db-wal")
        let error = try refusal(of: folder)
        disk_faults_fill("")
        #expect(error?.reason == .system)
        #expect(error?.message.contains("has form 1, and bringing it to form 3 failed") == true)
        #expect(error?.hint.contains("make room") == true)
        #expect(try Form1.form(of: folder).number == 1)
        let journal = try SQLiteJournal.open(folder)
        #expect(journal.epoch == known.epoch)
        #expect(try records(of: journal) == (1...40).map(Form1.record))
        #expect(try journal.verifyAll().isIntact)
        journal.close()
        #expect(try Form1.form(of: folder).number == 3)
    }

    @Test func `a damaged file stays as it is, or is rebuilt if that is accepted`() throws {
        let folder = try Form1.folder(snapshots: [20])
        try Form1.execute(["UPDATE records SET type = 'x' WHERE version = 30"], in: folder)
        #expect(try refusal(of: folder)?.reason == .damaged)
        #expect(try Form1.form(of: folder).number == 1)
        let journal = try SQLiteJournal.open(folder, acceptDataLoss: true)
        #expect(try records(of: journal) == (1...29).map(Form1.record))
        journal.close()
        #expect(try Form1.form(of: folder).number == 3)
    }

    @Test func `a file that ends too early gets a new epoch and the new form`() throws {
        let folder = try Form1.folder(snapshots: [20])
        try Form1.execute(["DELETE FROM records WHERE version > 35"], in: folder)
        try Form1.execute(["DELETE FROM outcomes WHERE last > 35"], in: folder)
        #expect(try refusal(of: folder)?.message.contains("version 40") == true)
        #expect(try Form1.form(of: folder).number == 1)
        let journal = try SQLiteJournal.open(folder, acceptDataLoss: true)
        #expect(try records(of: journal) == (1...35).map(Form1.record))
        journal.close()
        #expect(try Form1.form(of: folder).number == 3)
    }
}
