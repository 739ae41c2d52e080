import Glibc
import StoreCore
import StoreJournalSQLite
import StoreTesting
import Synchronization
import Testing

@Suite struct StorageTests {
    @Test func `a full disk refuses an append whole, and takes it when there is room`() throws {
        let disk = try SmallDisk()
        let journal = try SQLiteJournal.open(disk.folder)
        try disk.bound(journal)
        func batch() -> JournalBatch {
            let versions = journal.version + 1...journal.version + 50
            return JournalBatch(
                records: versions.map { Self.large($0) },
                outcomes: versions.map(SampleHistory.outcome)
            )
        }
        var failure: JournalError?
        while failure == nil, journal.version < 10_000 {
            do throws(JournalError) {
                try journal.append(batch(), at: journal.version)
            } catch {
                failure = error
            }
        }
        #expect(failure == .storageFull)
        let version = journal.version
        #expect(version > 0)
        #expect(throws: JournalError.storageFull) { try journal.append(batch(), at: version) }
        #expect(journal.version == version)
        #expect(try journal.outcome(of: SampleHistory.outcome(version + 1).key) == nil)
        let last = try journal.read(JournalPageRequest(after: version - 1, limit: 9))
        #expect(last.records == [Self.large(version)])
        try disk.free(journal)
        try journal.append(batch(), at: version)
        #expect(journal.version == version + 50)
        #expect(try journal.verifyAll().isIntact)
        let epoch = journal.epoch
        journal.close()
        let again = try SQLiteJournal.open(disk.folder)
        #expect(again.version == version + 50)
        #expect(again.epoch == epoch)
        again.close()
    }

    private static func large(_ version: UInt64) -> Record {
        Record(
            version: version,
            time: 0,
            type: "large",
            payload: [UInt8](repeating: UInt8(truncatingIfNeeded: version), count: 3_000),
            changed: true
        )
    }

    @Test func `records beyond the age are gone once a snapshot stands for them`() throws {
        let folder = try Folder()
        let clock = ManualWallClock(at: 1_700_000_000_000_000_000)
        let retention = Retention(secondsMax: 60, bytesMax: nil)
        let journal = try SQLiteJournal.open(folder, retention: retention, clock: clock)
        try SampleHistory.append(to: journal, through: 2_500)
        try journal.save(SampleHistory.snapshot(2_400))
        #expect(journal.oldestVersion == 1)
        clock.advance(by: 61_000_000_000)
        try journal.save(
            StateSnapshot(version: 2_450, time: clock.now(), state: [1], form: "form-1")
        )
        #expect(journal.oldestVersion == 2_401)
        #expect(journal.oldestSnapshotVersion == 2_400)
        let report = try journal.verifyAll()
        #expect(report.isIntact)
        #expect(report.recordsCount == 100)
        journal.close()
        let again = try SQLiteJournal.open(folder)
        #expect(again.oldestVersion == 2_401)
        #expect(try again.read(JournalPageRequest(after: 2_400, limit: 1)).records.count == 1)
        again.close()
    }

    @Test func `records beyond the bytes are gone once a snapshot stands for them`() throws {
        let folder = try Folder()
        let retention = Retention(secondsMax: nil, bytesMax: 30_000)
        let journal = try SQLiteJournal.open(folder, retention: retention)
        for version in stride(from: UInt64(10), through: 100, by: 10) {
            let records = (version - 9...version).map { Self.large($0) }
            try journal.append(JournalBatch(records: records), at: version - 10)
            try journal.save(SampleHistory.snapshot(version))
        }
        // The newest ten records are 30,000 bytes. The earlier records are beyond the bound.
        #expect(journal.oldestVersion == 91)
        journal.close()
        let again = try SQLiteJournal.open(folder, retention: retention)
        let records = (101...110).map { Self.large($0) }
        try again.append(JournalBatch(records: records), at: 100)
        try again.save(SampleHistory.snapshot(110))
        #expect(again.oldestVersion == 101)
        again.close()
    }

    @Test func `idempotency keys beyond their age or their count are forgotten`() throws {
        let folder = try Folder()
        let clock = ManualWallClock(at: 1_700_000_000_000_000_000)
        var retention = Retention.forever
        retention.keysMax = 1_500
        let journal = try SQLiteJournal.open(folder, retention: retention, clock: clock)
        for version: UInt64 in 1...4_000 {
            try journal.append(
                JournalBatch(
                    records: [SampleHistory.record(version)],
                    outcomes: [SampleHistory.outcome(version)]
                ),
                at: version - 1
            )
        }
        try journal.save(SampleHistory.snapshot(4_000))
        #expect(try journal.verifyAll().outcomesCount == 1_500)
        #expect(try journal.outcome(of: SampleHistory.outcome(2_500).key) == nil)
        #expect(try journal.outcome(of: SampleHistory.outcome(2_501).key) != nil)
        clock.advance(by: 86_401_000_000_000)
        try journal.append(JournalBatch(records: [SampleHistory.record(4_001)]), at: 4_000)
        try journal.save(SampleHistory.snapshot(4_001))
        #expect(try journal.verifyAll().outcomesCount == 0)
        journal.close()
    }

    @Test func `the write-ahead log stays small`() throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        while journal.version < 5_000 {
            let versions = journal.version + 1...journal.version + 10
            try journal.append(
                JournalBatch(records: versions.map { Self.large($0) }),
                at: journal.version
            )
        }
        // The log has taken 15 MB; its bound is 1,000 pages and one batch.
        #expect(try folder.bytes(of: "store.db-wal").count < 5 << 20)
        journal.close()
    }

    @Test func `readers, snapshots, a backup and a look at everything go on beside appends`() throws
    {
        let folder = try Folder()
        let copy = try Folder()
        var retention = Retention.forever
        retention.recordsMax = 1_000
        let journal = try SQLiteJournal.open(folder, retention: retention)
        try SampleHistory.append(to: journal, through: 1_000)
        let failures = Lines()
        Tasks.concurrently([
            { try SampleHistory.append(to: journal, through: 6_000) },
            {
                while journal.version < 6_000, failures.all.isEmpty {
                    let version = journal.version
                    try journal.save(SampleHistory.snapshot(version))
                }
            },
            {
                while journal.version < 6_000, failures.all.isEmpty {
                    let after = journal.version - 100
                    let page = try journal.read(JournalPageRequest(after: after, limit: 100))
                    #expect(page.records == (after + 1...after + 100).map(SampleHistory.record))
                }
            },
            { try journal.backup(to: copy.path + "/store.db") },
            {
                let report = try journal.verifyAll()
                #expect(report.faults == [])
            },
        ]) { failures.add("\($0)") }
        #expect(failures.all == [])
        #expect(try journal.verifyAll().isIntact)
        journal.close()
        let restored = try SQLiteJournal.open(copy)
        #expect(restored.version >= 1_000)
        #expect(restored.epoch != journal.epoch)
        #expect(try restored.verifyAll().isIntact)
        restored.close()
    }

    @Test func `a backup never takes the place of a file`() throws {
        let folder = try Folder()
        let copy = try Folder()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 10)
        try copy.write([1, 2, 3], to: "kept")
        #expect(throws: JournalError.self) { try journal.backup(to: copy.path + "/kept") }
        #expect(try copy.bytes(of: "kept") == [1, 2, 3])
        #expect(throws: JournalError.self) { try journal.backup(to: copy.path + "/none/there") }
        #expect(copy.names() == ["kept"])
        journal.close()
    }
}
