import CStoreDiskFaults
import Glibc
import StoreCore
import StoreJournalSQLite
import Testing

/// Failed syncs. A failed sync leaves the disk's state unknown, and is never tried again. The
/// system may have dropped the unwritten pages, and report success next time.
@Suite(.serialized) struct FailedSyncTests {
    private func isUnknown(_ body: () throws(JournalError) -> Void) -> Bool {
        do throws(JournalError) { try body() } catch {
            if case .unknown = error { return true }
        }
        return false
    }

    @Test(arguments: [EIO, ENOSPC])
    func `a commit that can't be synced is unknown, and the journal writes no more`(
        error: CInt
    ) throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 21)
        disk_faults_fail_syncs(folder.path + "/store.db-wal", error)
        let batch = JournalBatch(records: [SampleHistory.record(22)])
        #expect(isUnknown { () throws(JournalError) in try journal.append(batch, at: 21) })
        #expect(disk_faults_count() == 1)
        disk_faults_fail_syncs("", 0)
        #expect(isUnknown { () throws(JournalError) in try journal.append(batch, at: 21) })
        #expect(
            isUnknown { () throws(JournalError) in try journal.save(SampleHistory.snapshot(21)) }
        )
        #expect(journal.version == 21)
        #expect(try journal.read(JournalPageRequest(after: 0, limit: 50)).records.count == 21)
        journal.close()
        let again = try SQLiteJournal.open(folder)
        #expect([21, 22].contains(again.version))
        #expect(try again.verifyAll().isIntact)
        again.close()
    }

    @Test func `a checkpoint that can't be synced stops the next append, not the last append`()
        throws
    {
        let folder = try Folder()
        let lines = Lines()
        let journal = try SQLiteJournal.open(folder, lines: lines)
        disk_faults_fail_syncs(folder.path + "/store.db", EIO)
        defer { disk_faults_fail_syncs("", 0) }
        var failed = false
        while !failed, journal.version < 20_000 {
            let version = journal.version
            failed = isUnknown { () throws(JournalError) in
                let versions = version + 1...version + 50
                let batch = JournalBatch(records: versions.map(SampleHistory.record))
                try journal.append(batch, at: version)
            }
        }
        #expect(failed)
        #expect(disk_faults_count() == 1)
        #expect(lines.all.count == 1)
        let version = journal.version
        disk_faults_fail_syncs("", 0)
        journal.close()
        let again = try SQLiteJournal.open(folder)
        #expect(again.version == version)
        #expect(try again.verifyAll().isIntact)
        again.close()
    }
}
