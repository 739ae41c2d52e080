import StoreCore
import StorePlatform
import Synchronization
import Testing

@testable import StoreJournalSQLite

/// A lock that is held for a moment. A reader takes SQLite's writer lock if it meets the index of
/// the write-ahead log in the midst of a change.
struct HeldLockTests {
    @Test func `an append waits for a lock that is held for a moment`() throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 10)
        let other = try Connection(path: folder.path + "/store.db", for: .write)
        try other.execute("BEGIN IMMEDIATE")
        let ended = Latch()
        let failures = Lines()
        SystemThread.start(name: "append") {
            do {
                try SampleHistory.append(to: journal, through: 20)
            } catch {
                failures.add("\(error)")
            }
            ended.open()
        }
        #expect(!ended.wait(seconds: 0.2))
        try other.execute("ROLLBACK")
        #expect(ended.wait(seconds: 10))
        #expect(failures.all == [])
        #expect(journal.version == 20)
        journal.close()
    }
}
