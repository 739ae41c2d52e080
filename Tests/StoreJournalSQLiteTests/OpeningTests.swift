import Glibc
import StoreCore
import StoreJournalSQLite
import StoreTesting
import Testing

@Suite struct OpeningTests {
    /// Returns a folder with a history up to version 20, and its journal closed.
    private func filled() throws -> Folder {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 20)
        journal.close()
        return folder
    }

    @Test func `a journal that is opened again has its history and epoch`() throws {
        let folder = try Folder()
        let first = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: first, through: 30)
        try first.save(SampleHistory.snapshot(25))
        let history = try SampleHistory(of: first)
        first.close()
        let lines = Lines()
        let again = try SQLiteJournal.open(folder, lines: lines)
        #expect(again.epoch == first.epoch)
        #expect(again.version == 30)
        #expect(again.oldestSnapshotVersion == 25)
        #expect(try SampleHistory(of: again) == history)
        #expect(lines.all.isEmpty)
        again.close()
        #expect(folder.names().sorted() == ["lock", "mark", "store.db"])
    }

    @Test func `a directory that is missing is made for its owner only`() throws {
        let folder = try Folder()
        let path = folder.path + "/data"
        try SQLiteJournal(directory: path) { _ in }.close()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test func `a second opener is refused with the process that has it`() throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        let error = try #require(try refusal(of: folder))
        #expect(error.reason == .inUse)
        #expect(error.message.contains(folder.path))
        #expect(error.message.contains("another server uses"))
        #expect(error.message.contains("process \(getpid())"))
        journal.close()
        #expect(try refusal(of: folder) == nil)
    }

    @Test func `a file is no directory`() throws {
        let folder = try Folder()
        try folder.write([1], to: "file")
        #expect(throws: JournalOpenError.self) {
            try SQLiteJournal(directory: folder.path + "/file") { _ in }
        }
    }

    @Test func `a directory that can't be written to is refused with the reason`() throws {
        let disk = try ReadOnlyDirectory()
        do {
            try SQLiteJournal(directory: disk.path) { _ in }.close()
            Issue.record("it was opened")
        } catch {
            #expect(error.reason == .directory)
            #expect(error.message.contains(disk.path))
            #expect(error.description.contains(disk.expected))
        }
    }

    @Test func `a file that is no database is refused and left as it is`() throws {
        let folder = try Folder()
        let text = Array(String(repeating: "no database. ", count: 1_000).utf8)
        try folder.write(text, to: "store.db")
        #expect(try refusal(of: folder)?.reason == .foreign)
        #expect(try refusal(of: folder, acceptDataLoss: true)?.reason == .foreign)
        #expect(try folder.bytes(of: "store.db") == text)
    }

    @Test(arguments: [(60, "form 4"), (68, "another program")])
    func `a database of another program or form is refused`(offset: Int, words: String) throws {
        let folder = try filled()
        var bytes = try folder.bytes(of: "store.db")
        bytes[offset + 3] ^= 7
        try folder.write(bytes, to: "store.db")
        let error = try #require(try refusal(of: folder))
        #expect(error.reason == .foreign)
        #expect(error.message.contains(words))
        #expect(try folder.bytes(of: "store.db") == bytes)
    }

    @Test func `a torn slot of the mark does no harm`() throws {
        for slot in 0..<2 {
            let folder = try filled()
            var mark = try folder.bytes(of: "mark")
            mark[slot * 4_096 + 20] ^= 1
            try folder.write(mark, to: "mark")
            #expect(try refusal(of: folder) == nil)
        }
    }

    @Test func `an unreadable mark is refused until the loss is accepted`() throws {
        let folder = try filled()
        try folder.write(Array(repeating: 0, count: 8_192), to: "mark")
        #expect(try refusal(of: folder)?.reason == .damaged)
        let lines = Lines()
        let journal = try SQLiteJournal.open(folder, acceptDataLoss: true, lines: lines)
        #expect(journal.version == 20)
        #expect(lines.all.count == 1)
        journal.close()
        #expect(try refusal(of: folder) == nil)
    }

    @Test func `without a mark history takes a new epoch and reports it`() throws {
        let folder = try filled()
        let known = try SQLiteJournal.open(folder)
        known.close()
        unlink(folder.path + "/mark")
        let lines = Lines()
        let journal = try SQLiteJournal.open(folder, lines: lines)
        #expect(journal.version == 20)
        #expect(journal.epoch != known.epoch)
        #expect(lines.all.count == 1)
        journal.close()
    }

    @Test func `a missing database is refused if its mark is there`() throws {
        let folder = try filled()
        unlink(folder.path + "/store.db")
        let error = try #require(try refusal(of: folder))
        #expect(error.reason == .damaged)
        #expect(error.message.contains("version 20"))
        #expect(error.hint.contains("--accept-data-loss"))
        let journal = try SQLiteJournal.open(folder, acceptDataLoss: true)
        #expect(journal.version == 0)
        journal.close()
    }

    @Test func `an older database under a newer mark is refused with both ends`() throws {
        let folder = try filled()
        let old = try folder.bytes(of: "store.db")
        let journal = try SQLiteJournal.open(folder)
        try SampleHistory.append(to: journal, through: 40)
        journal.close()
        try folder.write(old, to: "store.db")
        let error = try #require(try refusal(of: folder))
        #expect(error.message.contains("version 20"))
        #expect(error.message.contains("40"))
        let lines = Lines()
        let kept = try SQLiteJournal.open(folder, acceptDataLoss: true, lines: lines)
        #expect(kept.version == 20)
        #expect(kept.epoch != journal.epoch)
        #expect(lines.all.contains { $0.contains("data loss accepted") })
        kept.close()
    }

    @Test func `a longer history of another journal is refused`() throws {
        let folder = try filled()
        let other = try Folder()
        let journal = try SQLiteJournal.open(other)
        try SampleHistory.append(to: journal, through: 30)
        journal.close()
        try folder.write(other.bytes(of: "store.db"), to: "store.db")
        #expect(try refusal(of: folder)?.reason == .damaged)
    }

    @Test func `a clock that goes back a day changes nothing`() throws {
        let folder = try Folder()
        let clock = ManualWallClock(at: 1_800_000_000_000_000_000)
        let first = try SQLiteJournal.open(folder, retention: Retention(), clock: clock)
        try SampleHistory.append(to: first, through: 20)
        clock.advance(by: -86_400_000_000_000)
        try first.save(SampleHistory.snapshot(20))
        try SampleHistory.append(to: first, through: 30)
        first.close()
        let again = try SQLiteJournal.open(folder, retention: Retention(), clock: clock)
        #expect(again.epoch == first.epoch)
        #expect(again.version == 30)
        again.close()
    }

    @Test func `a closed journal refuses every call with the reason`() throws {
        let folder = try Folder()
        let journal = try SQLiteJournal.open(folder)
        journal.close()
        journal.close()
        #expect(throws: JournalError.unknown("the journal is closed")) {
            try journal.append(JournalBatch(records: [SampleHistory.record(1)]), at: 0)
        }
        #expect(throws: JournalError.unknown("the journal is closed")) {
            try journal.snapshot(atOrBefore: 1)
        }
    }
}
