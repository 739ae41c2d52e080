import StoreCore
import StoreJournalSQLite
import StoreTesting
import Testing

/// The promises about a disk without room, on a disk that really has none.
@Suite struct FullDiskTests {
    @Test func `a full disk takes nothing, and the append may be tried again`() throws {
        // Safety: the suite makes all calls on the thread of this test.
        nonisolated(unsafe) let disk = try SmallDisk()
        let subject = JournalSubject(
            make: { try SQLiteJournal.open(disk.folder) },
            setFull: { journal, isFull in
                guard let journal = journal as? SQLiteJournal else { return }
                if isFull { try disk.bound(journal) } else { try disk.free(journal) }
            }
        )
        let faults = JournalConformance.faults(of: subject, in: .full)
        #expect(faults.map(\.description) == [])
    }
}
