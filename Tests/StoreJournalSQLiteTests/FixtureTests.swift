import StoreCore
import StoreJournalSQLite
import Testing

/// Journals of earlier versions, which this version reads.
@Suite struct FixtureTests {
    /// Returns a writable folder with the files of `Fixtures/<form>`.
    private func fixture(_ form: String) throws -> Folder {
        let here = "\(#filePath)".split(separator: "/").dropLast().joined(separator: "/")
        let kept = Folder(existing: "/\(here)/Fixtures/\(form)")
        return try kept.files().write(to: Folder())
    }

    @Test func `a journal of form 1 reads as it was written`() throws {
        let folder = try fixture("format-1")
        let lines = Lines()
        let journal = try SQLiteJournal.open(folder, lines: lines)
        #expect(journal.epoch == 2_657_737_578)
        #expect(journal.version == 60)
        #expect(journal.oldestVersion == 21)
        #expect(journal.oldestSnapshotVersion == 20)
        let history = try SampleHistory(of: journal)
        #expect(history.records == (21...60).map(SampleHistory.record))
        #expect(history.snapshot == SampleHistory.snapshot(50))
        #expect(
            history.outcomes.compactMap { $0 }
                == stride(from: 5, through: 60, by: 5).map { SampleHistory.outcome($0) }
        )
        #expect(try journal.verifyAll().isIntact)
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("had form 1 and has form 3 now") == true)
        try SampleHistory.append(to: journal, through: 70)
        journal.close()
    }
}
